#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace peer {

/// What is asked of a BLAS, in float32.
struct Blas {
  /// C[m,n] = A[m,k]·B[k,n], row-major and compact; B is given as n,k where `transpose_b`.
  std::function<void(std::int64_t m, std::int64_t n, std::int64_t k, const float* a, const float* b,
                     bool transpose_b, float* c)>
      gemm;
  /// y[rows] = A[rows,columns]·x[columns], or y[columns] = Aᵀ·x[rows] where `transpose_a`.
  std::function<void(std::int64_t rows, std::int64_t columns, const float* a, bool transpose_a,
                     const float* x, float* y)>
      gemv;
  std::function<void(int)> set_threads;
  std::string name;
  std::string library;  ///< its own word for its version, and its file
  std::string kernels;  ///< its own word for those that it chose
};

class OwnLibrary;

/// The two functions by the library's C interface, whose names may begin with something; the rest is left to
/// fill in.
Blas by_cblas(const OwnLibrary& library, const std::string& prefix = "");

/// A product, to try kernels on.
struct GemmShape {
  std::int64_t m, n, k;
  friend auto operator<=>(const GemmShape&, const GemmShape&) = default;
};

/// Each of them with the fastest of the kernels that it has for this machine, by a trial on such a product:
/// what they choose by themselves on a processor that they do not know may be five times slower. What the
/// user chooses by OPENBLAS_CORETYPE or BLIS_ARCH_TYPE stays chosen.
const Blas& openblas(const GemmShape& shape);
const Blas& blis(const GemmShape& shape);
/// It knows the machines that it runs on.
const Blas& mkl(const GemmShape& shape);

/// One library with several choices of kernels.
class Kernels {
 public:
  explicit Kernels(std::vector<Blas> candidates) : candidates_(std::move(candidates)) {}
  /// The fastest on one thread, by a trial that is made once for each shape. Long products are cut short:
  /// they tell no more.
  const Blas& fastest(const GemmShape& shape);

 private:
  std::vector<Blas> candidates_;
  std::map<GemmShape, std::size_t> chosen_;
};

}  // namespace peer
