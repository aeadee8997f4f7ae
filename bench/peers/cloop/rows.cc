#include <algorithm>
#include <cmath>
#include <limits>

#include "bench/peers/cloop/loops.h"
#include "bench/peers/vector_exp.h"

namespace peer {

namespace {

using Size = std::int64_t;

float sum_of(const float* __restrict x, Size n) {
  float sum = 0;
  for (Size j = 0; j < n; ++j) sum += x[j];
  return sum;
}

float greatest_of(const float* __restrict x, Size n) {
  float greatest = -std::numeric_limits<float>::max();
  for (Size j = 0; j < n; ++j) greatest = std::max(greatest, x[j]);
  return greatest;
}

float variance_of(const float* __restrict x, Size n, float mean) {
  float sum = 0;
  for (Size j = 0; j < n; ++j) sum += (x[j] - mean) * (x[j] - mean);
  return sum / static_cast<float>(n);
}

float mean_of(const float* x, Size n) { return sum_of(x, n) / static_cast<float>(n); }

void softmax(const float* __restrict x, Size n, float* __restrict y) {
  const float greatest = greatest_of(x, n);
  float sum = 0;
  for (Size j = 0; j < n; ++j) {
    y[j] = fast_exp(x[j] - greatest);
    sum += y[j];
  }
  const float scale = 1 / sum;
  for (Size j = 0; j < n; ++j) y[j] *= scale;
}

void layernorm(const float* __restrict x, const float* __restrict gamma, const float* __restrict beta, Size n,
               float* __restrict y) {
  const float mean = mean_of(x, n), scale = 1 / std::sqrt(variance_of(x, n, mean) + 1e-5F);
  for (Size j = 0; j < n; ++j) y[j] = (x[j] - mean) * scale * gamma[j] + beta[j];
}

/// One number for each row.
template <class Reduce>
Prepared reduced(Size m, Size n, Reduce reduce) {
  return {"", [=](void* const* p) {
            for (Size i = 0; i < m; ++i) output<float>(p, 1)[i] = reduce(input<float>(p, 0) + i * n, n);
          }};
}

/// One element from one, or from two.
template <class Map>
Prepared mapped(Size count, Map map) {
  return {"", [=](void* const* p) {
            const float* __restrict x = input<float>(p, 0);
            float* __restrict y = output<float>(p, 1);
            for (Size i = 0; i < count; ++i) y[i] = map(x[i]);
          }};
}
template <class Map>
Prepared mapped_pairs(Size count, Map map) {
  return {"", [=](void* const* p) {
            const float* __restrict a = input<float>(p, 0);
            const float* __restrict b = input<float>(p, 1);
            float* __restrict y = output<float>(p, 2);
            for (Size i = 0; i < count; ++i) y[i] = map(a[i], b[i]);
          }};
}

}  // namespace

std::optional<Prepared> row_loops(const Workload& w) {
  if (!w.all("float32") || w.sizes.size() != 2) return std::nullopt;
  const Size m = w.sizes[0], n = w.sizes[1];
  if (w.op == "reduce_sum") return reduced(m, n, sum_of);
  if (w.op == "reduce_max") return reduced(m, n, greatest_of);
  if (w.op == "mean") return reduced(m, n, mean_of);
  if (w.op == "var")
    return reduced(m, n, [](const float* x, Size k) { return variance_of(x, k, mean_of(x, k)); });
  if (w.op == "relu") return mapped(m * n, [](float x) { return std::max(x, 0.0F); });
  if (w.op == "sigmoid") return mapped(m * n, [](float x) { return 1 / (1 + fast_exp(-x)); });
  if (w.op == "add") return mapped_pairs(m * n, [](float a, float b) { return a + b; });
  if (w.op == "mul") return mapped_pairs(m * n, [](float a, float b) { return a * b; });
  if (w.op == "softmax")
    return Prepared{"", [=](void* const* p) {
                      for (Size i = 0; i < m; ++i)
                        softmax(input<float>(p, 0) + i * n, n, output<float>(p, 1) + i * n);
                    }};
  if (w.op == "layernorm")
    return Prepared{"", [=](void* const* p) {
                      for (Size i = 0; i < m; ++i)
                        layernorm(input<float>(p, 0) + i * n, input<float>(p, 1), input<float>(p, 2), n,
                                  output<float>(p, 3) + i * n);
                    }};
  return std::nullopt;
}

}  // namespace peer
