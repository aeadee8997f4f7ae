#pragma once

#include "bench/gpu_peers/gpu_library.h"

/// Products as cuBLAS and cuBLASLt see them.

namespace peer {

/// Column by column, as these libraries count: C (rows × columns) = op(left) op(right), for `batch` of each.
/// Of arrays that lie row by row it is the transposed product: the right operand stands on the left.
struct ColumnProduct {
  int rows = 0, columns = 0, depth = 0, batch = 1;
  bool transpose_left = false;
  int left_stride = 0, right_stride = 0;  ///< between columns
  int in_type = 0, out_type = 0;          ///< cudaDataType
  long long left_elements() const { return static_cast<long long>(rows) * depth; }
  long long right_elements() const { return static_cast<long long>(depth) * columns; }
  long long out_elements() const { return static_cast<long long>(rows) * columns; }
};

/// Of gemm and bmm in float16, bfloat16 or float32, with sums in float32; Refusal for others.
ColumnProduct column_product(const Workload& workload);

}  // namespace peer
