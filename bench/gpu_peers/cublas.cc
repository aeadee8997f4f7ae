#include "bench/gpu_peers/cublas_products.h"

/// NVIDIA's BLAS, by the one call that its users make.

namespace peer {

const char* const name = "cublas";
const ArdeaPeerKind kind = ARDEA_PEER_LIBRARY;

namespace {

constexpr std::size_t workspace_bytes = std::size_t{64} << 20;

struct Cublas {
  void* handle = nullptr;
  int (*version)(void*, int*) = nullptr;
  int (*set_stream)(void*, void*) = nullptr;
  int (*set_workspace)(void*, void*, std::size_t) = nullptr;
  void* workspace = nullptr;
  int (*product)(void*, int, int, int, int, int, const void*, const void*, int, int, long long, const void*,
                 int, int, long long, const void*, void*, int, int, long long, int, int, int) = nullptr;

  Cublas() {
    void* const library = open_library("libcublas", {"13", "12"});
    int (*create)(void**) = nullptr;
    find(library, create, "cublasCreate_v2");
    find(library, version, "cublasGetVersion_v2");
    find(library, set_stream, "cublasSetStream_v2");
    find(library, set_workspace, "cublasSetWorkspace_v2");
    find(library, product, "cublasGemmStridedBatchedEx");
    if (const int status = create(&handle); status != 0)
      throw Refusal{"it cannot begin here (status " + std::to_string(status) + ")"};
    workspace = gpu_workspace(workspace_bytes);
  }
};

Cublas& cublas() {
  static Cublas all;
  return all;
}

}  // namespace

std::string description() {
  int number = 0;
  cublas().version(cublas().handle, &number);
  return "cuBLAS " + std::to_string(number);
}

Variants variants(const Workload& workload, int) {
  const ColumnProduct p = column_product(workload);
  cublas();
  return {[p] {
    return Prepared{
        "", [p](void* const* arrays) {
          constexpr int compute_in_float32 = 68, usual_algorithm = -1;
          const float one = 1, zero = 0;
          Cublas& c = cublas();
          require_done(c.set_stream(c.handle, arrays[3]), "cublasSetStream");
          // A new stream takes the workspace away, and the library's own would be allocated inside a graph.
          require_done(c.set_workspace(c.handle, c.workspace, workspace_bytes), "cublasSetWorkspace");
          require_done(c.product(c.handle, p.transpose_left ? 1 : 0, 0, p.rows, p.columns, p.depth, &one,
                                 arrays[1], p.in_type, p.left_stride, p.left_elements(), arrays[0], p.in_type,
                                 p.right_stride, p.right_elements(), &zero, arrays[2], p.out_type, p.rows,
                                 p.out_elements(), p.batch, compute_in_float32, usual_algorithm),
                       "cublasGemmStridedBatchedEx");
        }};
  }};
}

}  // namespace peer
