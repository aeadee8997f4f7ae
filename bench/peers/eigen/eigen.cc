#include <Eigen/Core>
#include <memory>

#include "bench/peers/plugin.h"

namespace peer {

const char* const name = "eigen";
const ArdeaPeerKind kind = ARDEA_PEER_LIBRARY;

namespace {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXf;
using Rows = Eigen::Array<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

auto matrix(void* p, std::int64_t rows, std::int64_t columns) {
  return Eigen::Map<Matrix>(static_cast<float*>(p), rows, columns);
}
auto vector(void* p, std::int64_t size) { return Eigen::Map<Vector>(static_cast<float*>(p), size); }
auto rows(void* p, std::int64_t m, std::int64_t n) { return Eigen::Map<Rows>(static_cast<float*>(p), m, n); }
auto row(void* p, std::int64_t n) {
  return Eigen::Map<Eigen::Array<float, 1, Eigen::Dynamic>>(static_cast<float*>(p), n);
}

void product(std::int64_t m, std::int64_t k, std::int64_t n, bool transpose_b, void* a, void* b, void* c) {
  // A row times a matrix is a product of a vector to Eigen only where the type says so.
  if (m == 1 && transpose_b)
    vector(c, n).noalias() = matrix(b, n, k) * vector(a, k);
  else if (m == 1)
    vector(c, n).noalias() = matrix(b, k, n).transpose() * vector(a, k);
  else if (n == 1)
    vector(c, m).noalias() = matrix(a, m, k) * vector(b, k);
  else if (transpose_b)
    matrix(c, m, n).noalias() = matrix(a, m, k) * matrix(b, n, k).transpose();
  else
    matrix(c, m, n).noalias() = matrix(a, m, k) * matrix(b, k, n);
}

float* at(void* p, std::int64_t offset) { return static_cast<float*>(p) + offset; }

Prepared products(const Workload& w) {
  const std::vector<std::int64_t> s = w.sizes;
  const bool tb = w.transpose_b;
  if (w.op == "gemm")
    return {"packing counted", [=](void* const* p) { product(s[0], s[1], s[2], tb, p[0], p[1], p[2]); }};
  if (w.op == "bmm")
    return {"one gemm after the other", [=](void* const* p) {
              for (std::int64_t b = 0; b < s[0]; ++b)
                product(s[1], s[2], s[3], tb, at(p[0], b * s[1] * s[2]), at(p[1], b * s[2] * s[3]),
                        at(p[2], b * s[1] * s[3]));
            }};
  if (w.op == "gemv")
    return {"", [=](void* const* p) {
              vector(p[2], s[0]).noalias() = matrix(p[0], s[0], s[1]) * vector(p[1], s[1]);
            }};
  const auto between = std::make_shared<Matrix>(s[0], s[2]);  // matmul_exp_matmul: m, k, l, n
  return {"gemm, exp, gemm", [=](void* const* p) {
            product(s[0], s[1], s[2], false, p[0], p[1], between->data());
            between->array() = between->array().exp();
            product(s[0], s[2], s[3], false, between->data(), p[2], p[3]);
          }};
}

Prepared reductions(const Workload& w) {
  const std::int64_t m = w.sizes[0], n = w.sizes[1];
  const auto over = [=](const auto& reduce) {
    return Prepared{"", [=](void* const* p) { vector(p[1], m) = reduce(rows(p[0], m, n)).matrix(); }};
  };
  if (w.op == "reduce_sum") return over([](const auto& x) { return x.rowwise().sum(); });
  if (w.op == "mean") return over([](const auto& x) { return x.rowwise().mean(); });
  return over([](const auto& x) { return x.rowwise().maxCoeff(); });
}

Prepared softmax(const Workload& w) {
  const std::int64_t m = w.sizes[0], n = w.sizes[1];
  return {"row by row", [=](void* const* p) {
            for (std::int64_t i = 0; i < m; ++i) {
              auto y = row(at(p[1], i * n), n);
              const auto x = row(at(p[0], i * n), n);
              y = (x - x.maxCoeff()).exp();
              y *= 1 / y.sum();
            }
          }};
}

Prepared layernorm(const Workload& w) {
  const std::int64_t m = w.sizes[0], n = w.sizes[1];
  return {"row by row", [=](void* const* p) {
            const auto gamma = row(p[1], n), beta = row(p[2], n);
            for (std::int64_t i = 0; i < m; ++i) {
              const auto x = row(at(p[0], i * n), n);
              const float mean = x.mean();
              const float variance = (x - mean).square().mean();
              row(at(p[3], i * n), n) = (x - mean) * (1 / std::sqrt(variance + 1e-5F)) * gamma + beta;
            }
          }};
}

}  // namespace

std::string description() {
  return "Eigen " + std::to_string(EIGEN_WORLD_VERSION) + "." + std::to_string(EIGEN_MAJOR_VERSION) + "." +
         std::to_string(EIGEN_MINOR_VERSION) + ", instructions " + Eigen::SimdInstructionSetsInUse();
}

Variants variants(const Workload& w, int threads) {
  Eigen::setNbThreads(threads);
  if (!w.all("float32")) throw Refusal{"it is compiled for float32 only"};
  if (w.op == "gemm" || w.op == "bmm" || w.op == "gemv" || w.op == "matmul_exp_matmul")
    return {[=] { return products(w); }};
  if (w.op == "reduce_sum" || w.op == "mean" || w.op == "reduce_max") return {[=] { return reductions(w); }};
  if (w.op == "softmax") return {[=] { return softmax(w); }};
  if (w.op == "layernorm") return {[=] { return layernorm(w); }};
  return {};
}

}  // namespace peer
