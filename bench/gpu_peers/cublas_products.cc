#include "bench/gpu_peers/cublas_products.h"

namespace peer {

namespace {

int data_type(const std::string& type) {
  if (type == "float32") return 0;
  if (type == "float16") return 2;
  if (type == "bfloat16") return 14;
  throw Refusal{"it is asked for products of float16, bfloat16 and float32 only"};
}

}  // namespace

ColumnProduct column_product(const Workload& w) {
  if (w.op != "gemm" && w.op != "bmm") throw Refusal{"it is asked for products only"};
  if (w.acc != "float32" || w.arrays[0].type != w.arrays[1].type)
    throw Refusal{"it is asked for products of operands of one type, summed in float32"};
  const std::vector<std::int64_t>&a = w.arrays[0].shape, &c = w.output().shape;
  const std::size_t first = a.size() - 2;
  ColumnProduct p;
  p.rows = static_cast<int>(c[first + 1]);
  p.columns = static_cast<int>(c[first]);
  p.depth = static_cast<int>(a[first + 1]);
  p.batch = first == 1 ? static_cast<int>(c[0]) : 1;
  p.transpose_left = w.transpose_b;
  p.left_stride = w.transpose_b ? p.depth : p.rows;
  p.right_stride = p.depth;
  p.in_type = data_type(w.arrays[0].type);
  p.out_type = data_type(w.output().type);
  return p;
}

}  // namespace peer
