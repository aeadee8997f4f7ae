#include "ardea/recipes/gemm.h"

#include "ardea/recipes/product.h"

namespace ardea::recipes {

bool serves_gemm(const ops::Workload& workload, const target::Target& target) {
  if (workload.op != "gemm" && workload.op != "bmm") return false;
  const DataType type = workload.acc;
  return target.kind == target::Kind::cpu && target.vector_bits >= 128 &&
         (type == float32 || type == float64) && workload.in[0] == type && workload.in[1] == type &&
         workload.out == type;
}

void schedule_gemm(schedule::Schedule& s, const ops::Workload& workload, const target::Target& target,
                   Packing packing) {
  const auto size = [&](const char* name) { return ops::size(workload, name); };
  schedule_product(s,
                   {.name = "C",
                    .left = "A",
                    .right = "B",
                    .sizes = {.m = size("m"), .n = size("n"), .k = size("k")},
                    .type = workload.acc,
                    .batches = workload.op == "bmm" ? std::size_t{1} : 0,
                    .transposed = workload.transpose_b,
                    .packing = packing},
                   target);
}

}  // namespace ardea::recipes
