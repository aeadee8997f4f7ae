#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

/// Arrays and numbers for references: nothing of Ardea's.

namespace ardea::test {

/// A compact row-major array.
template <class T>
struct Plain {
  std::vector<std::int64_t> shape;
  std::vector<T> values;

  explicit Plain(std::vector<std::int64_t> extents) : shape(std::move(extents)) {
    std::size_t count = 1;
    for (const std::int64_t extent : shape) count *= static_cast<std::size_t>(extent);
    values.assign(count, T(0));
  }

  template <class... Index>
  T& operator()(Index... index) {
    return values[place({static_cast<std::int64_t>(index)...})];
  }
  template <class... Index>
  const T& operator()(Index... index) const {
    return values[place({static_cast<std::int64_t>(index)...})];
  }

  std::size_t place(const std::vector<std::int64_t>& index) const {
    std::int64_t at = 0;
    for (std::size_t d = 0; d < shape.size(); ++d) at = at * shape[d] + index.at(d);
    return static_cast<std::size_t>(at);
  }
};

/// A real number computed in float64, with a bound on how far the same computation in a type of unit
/// roundoff `unit` may be from it.
struct Tracked {
  static inline double unit = 0, tiny = 0;  ///< of the accumulator: set before computing

  double value = 0, error = 0;

  Tracked(double exact = 0) : value(exact) {}
  Tracked(double computed, double carried, double roundings)
      : value(computed), error(carried + roundings * (unit * std::fabs(computed) + tiny)) {}
};

inline Tracked operator+(const Tracked& a, const Tracked& b) {
  return {a.value + b.value, a.error + b.error, 1};
}
inline Tracked operator-(const Tracked& a, const Tracked& b) {
  return {a.value - b.value, a.error + b.error, 1};
}
inline Tracked operator*(const Tracked& a, const Tracked& b) {
  return {a.value * b.value, std::fabs(a.value) * b.error + std::fabs(b.value) * a.error + a.error * b.error,
          1};
}
inline Tracked operator/(const Tracked& a, const Tracked& b) {
  const double quotient = a.value / b.value;
  return {quotient, (a.error + std::fabs(quotient) * b.error) / (std::fabs(b.value) - b.error), 1};
}
inline Tracked larger(const Tracked& a, const Tracked& b) {
  Tracked greatest = a.value < b.value ? b : a;
  greatest.error = std::fmax(a.error, b.error);
  return greatest;
}
inline std::int64_t larger(std::int64_t a, std::int64_t b) { return a < b ? b : a; }
inline bool is_larger(const Tracked& a, const Tracked& b) { return a.value > b.value; }
inline bool is_larger(std::int64_t a, std::int64_t b) { return a > b; }

// Functions may be off by four units in the last place, which is eight unit roundoffs.
inline Tracked exponential(const Tracked& x) {
  return {std::exp(x.value), std::exp(x.value) * std::expm1(x.error), 8};
}
inline Tracked root(const Tracked& x) {
  return {std::sqrt(x.value), x.error / std::sqrt(x.value - x.error), 1};
}
inline Tracked logistic(const Tracked& x) { return {1 / (1 + std::exp(-x.value)), x.error, 8}; }
inline Tracked hyperbolic_tangent(const Tracked& x) { return {std::tanh(x.value), x.error, 8}; }
inline Tracked error_function(const Tracked& x) { return {std::erf(x.value), 1.13 * x.error, 8}; }

}  // namespace ardea::test
