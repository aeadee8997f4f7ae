#include <array>
#include <memory>

#include "bench/gpu_peers/cublas_products.h"

/// cuBLASLt, by the ten algorithms that its heuristic thinks best: whoever cares for speed times them.

namespace peer {

const char* const name = "cublaslt";
const ArdeaPeerKind kind = ARDEA_PEER_LIBRARY;

namespace {

constexpr std::size_t workspace_bytes = std::size_t{64} << 20;
constexpr int most_algorithms = 10, compute_in_float32 = 68, float32_type = 0;

/// cublasLtMatmulHeuristicResult_t
struct Algorithm {
  std::array<std::uint64_t, 8> algorithm = {};
  std::size_t workspace = 0;
  int status = 0;
  float waves = 0;
  std::array<int, 4> reserved = {};
};

struct Lt {
  void* handle = nullptr;
  void* workspace = nullptr;
  std::size_t (*version)() = nullptr;
  int (*make_product)(void**, int, int) = nullptr;
  int (*set_product)(void*, int, const void*, std::size_t) = nullptr;
  int (*make_layout)(void**, int, std::uint64_t, std::uint64_t, std::int64_t) = nullptr;
  int (*set_layout)(void*, int, const void*, std::size_t) = nullptr;
  int (*make_preference)(void**) = nullptr;
  int (*set_preference)(void*, int, const void*, std::size_t) = nullptr;
  int (*heuristic)(void*, void*, void*, void*, void*, void*, void*, int, Algorithm*, int*) = nullptr;
  int (*product)(void*, void*, const void*, const void*, void*, const void*, void*, const void*, const void*,
                 void*, void*, void*, const void*, void*, std::size_t, void*) = nullptr;

  Lt() {
    void* const library = open_library("libcublasLt", {"13", "12"});
    int (*create)(void**) = nullptr;
    find(library, create, "cublasLtCreate");
    find(library, version, "cublasLtGetVersion");
    find(library, make_product, "cublasLtMatmulDescCreate");
    find(library, set_product, "cublasLtMatmulDescSetAttribute");
    find(library, make_layout, "cublasLtMatrixLayoutCreate");
    find(library, set_layout, "cublasLtMatrixLayoutSetAttribute");
    find(library, make_preference, "cublasLtMatmulPreferenceCreate");
    find(library, set_preference, "cublasLtMatmulPreferenceSetAttribute");
    find(library, heuristic, "cublasLtMatmulAlgoGetHeuristic");
    find(library, product, "cublasLtMatmul");
    if (const int status = create(&handle); status != 0)
      throw Refusal{"it cannot begin here (status " + std::to_string(status) + ")"};
    workspace = gpu_workspace(workspace_bytes);
  }
};

Lt& lt() {
  static Lt all;
  return all;
}

/// What describes a product, kept until the process ends: there are few.
struct Described {
  void *product = nullptr, *left = nullptr, *right = nullptr, *out = nullptr;
};

void* layout_of(int type, int rows, int columns, int stride, int batch, long long elements) {
  constexpr int batch_count = 5, batch_offset = 6;
  void* layout = nullptr;
  require_done(lt().make_layout(&layout, type, static_cast<std::uint64_t>(rows),
                                static_cast<std::uint64_t>(columns), stride),
               "cublasLtMatrixLayoutCreate");
  const std::int64_t offset = elements;
  require_done(lt().set_layout(layout, batch_count, &batch, sizeof(batch)),
               "cublasLtMatrixLayoutSetAttribute");
  require_done(lt().set_layout(layout, batch_offset, &offset, sizeof(offset)),
               "cublasLtMatrixLayoutSetAttribute");
  return layout;
}

Described described(const ColumnProduct& p) {
  constexpr int transpose_left = 3;
  Described all;
  require_done(lt().make_product(&all.product, compute_in_float32, float32_type), "cublasLtMatmulDescCreate");
  const int transposed = p.transpose_left ? 1 : 0;
  require_done(lt().set_product(all.product, transpose_left, &transposed, sizeof(transposed)),
               "cublasLtMatmulDescSetAttribute");
  all.left = layout_of(p.in_type, p.transpose_left ? p.depth : p.rows, p.transpose_left ? p.rows : p.depth,
                       p.left_stride, p.batch, p.left_elements());
  all.right = layout_of(p.in_type, p.depth, p.columns, p.right_stride, p.batch, p.right_elements());
  all.out = layout_of(p.out_type, p.rows, p.columns, p.rows, p.batch, p.out_elements());
  return all;
}

}  // namespace

std::string description() { return "cuBLASLt " + std::to_string(lt().version()); }

Variants variants(const Workload& workload, int) {
  constexpr int most_workspace = 1;
  const Described d = described(column_product(workload));
  void* preference = nullptr;
  require_done(lt().make_preference(&preference), "cublasLtMatmulPreferenceCreate");
  require_done(lt().set_preference(preference, most_workspace, &workspace_bytes, sizeof(workspace_bytes)),
               "cublasLtMatmulPreferenceSetAttribute");
  std::array<Algorithm, most_algorithms> found;
  int count = 0;
  const int status = lt().heuristic(lt().handle, d.product, d.left, d.right, d.out, d.out, preference,
                                    most_algorithms, found.data(), &count);
  if (status != 0) throw Refusal{"its heuristic knows no algorithm (status " + std::to_string(status) + ")"};
  Variants all;
  for (int i = 0; i < count; ++i)
    all.emplace_back([d, i, algorithm = found[static_cast<std::size_t>(i)]] {
      return Prepared{
          "heuristic " + std::to_string(i + 1), [d, algorithm](void* const* arrays) {
            const float one = 1, zero = 0;
            require_done(lt().product(lt().handle, d.product, &one, arrays[1], d.left, arrays[0], d.right,
                                      &zero, arrays[2], d.out, arrays[2], d.out, algorithm.algorithm.data(),
                                      lt().workspace, workspace_bytes, arrays[3]),
                         "cublasLtMatmul");
          }};
    });
  return all;
}

}  // namespace peer
