#include "ardea/recipes/chain.h"

#include <algorithm>

#include "ardea/recipes/product.h"

namespace ardea::recipes {

bool serves_matmul_exp_matmul(const ops::Workload& workload, const target::Target& target) {
  const DataType type = workload.acc;
  return workload.op == "matmul_exp_matmul" && target.kind == target::Kind::cpu &&
         target.vector_bits >= 128 && (type == float32 || type == float64) && workload.out == type &&
         std::all_of(workload.in.begin(), workload.in.end(), [&](DataType in) { return in == type; });
}

void schedule_matmul_exp_matmul(schedule::Schedule& s, const ops::Workload& workload,
                                const target::Target& target) {
  const std::int64_t m = ops::size(workload, "m"), k = ops::size(workload, "k"), l = ops::size(workload, "l"),
                     n = ops::size(workload, "n");
  const Product first{
      .name = "C", .left = "A", .right = "B", .sizes = {.m = m, .n = l, .k = k}, .type = workload.acc};
  Product second{
      .name = "F", .left = "D", .right = "E", .sizes = {.m = m, .n = n, .k = l}, .type = workload.acc};
  second.left_maker = s.get_block("D");
  schedule_product(s, second, target);
  schedule_product(s, first, target);
}

}  // namespace ardea::recipes
