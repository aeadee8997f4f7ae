#pragma once

#include "bench/peers/plugin.h"

/// Products as cuBLAS and cuBLASLt see them, and what both are loaded by. Types and numbers are those of
/// their headers, which no machine needs to have.

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

/// The first that can be opened: in CUDA_HOME, /usr/local/cuda, or where the linker looks. Refusal where
/// none.
void* open_library(const std::string& stem);
/// Refusal where the library has none of that name.
void* found_symbol(void* library, const char* symbol);

template <class Function>
void find(void* library, Function& function, const char* symbol) {
  function = reinterpret_cast<Function>(found_symbol(library, symbol));
}

/// Memory of the GPU that such a library may use, kept until the process ends.
void* gpu_workspace(std::size_t bytes);

/// std::runtime_error where the status is one.
void require_done(int status, const char* call);

}  // namespace peer
