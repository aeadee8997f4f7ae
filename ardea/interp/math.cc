#include "ardea/interp/math.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <unordered_map>

#include "ardea/interp/arithmetic.h"
#include "ardea/support/narrow_float.h"

namespace ardea::interp {

namespace {

// In float64, then rounded to the type: the reference that compiled code is held to within its error bound.
template <double (*function)(double)>
Lane rounded(DataType type, const Lane* x) {
  return real_lane(round_to_type(function(x[0].real), type));
}

template <double (*function)(double, double)>
Lane rounded2(DataType type, const Lane* x) {
  return real_lane(round_to_type(function(x[0].real, x[1].real), type));
}

double exp10_of(double x) { return std::pow(10.0, x); }
double rsqrt_of(double x) { return 1.0 / std::sqrt(x); }
double sigmoid_of(double x) { return 1.0 / (1.0 + std::exp(-x)); }

// Exact operations round once, in the type itself (narrow types: in float32, then to the type).
Lane square_root(DataType type, const Lane* x) {
  if (type == float64) return real_lane(std::sqrt(x[0].real));
  return real_lane(round_to_type(std::sqrt(static_cast<float>(x[0].real)), type));
}

Lane fused_multiply_add(DataType type, const Lane* x) {
  if (type == float64) return real_lane(std::fma(x[0].real, x[1].real, x[2].real));
  const float result =
      std::fma(static_cast<float>(x[0].real), static_cast<float>(x[1].real), static_cast<float>(x[2].real));
  return real_lane(round_to_type(result, type));
}

Lane absolute(DataType type, const Lane* x) {
  if (type.is_float()) return real_lane(std::fabs(x[0].real));
  return type.is_int() && x[0].integer < 0 ? apply(UnaryOp::negate, type, x[0]) : x[0];
}

std::uint64_t low_bits(DataType type, Lane x) {
  return static_cast<std::uint64_t>(x.integer) << (64 - type.bits) >> (64 - type.bits);
}

Lane population_count(DataType type, const Lane* x) {
  return integer_lane(wrap(static_cast<std::uint64_t>(std::popcount(low_bits(type, x[0]))), type));
}

Lane leading_zeros(DataType type, const Lane* x) {
  const int zeros = std::countl_zero(low_bits(type, x[0])) - (64 - type.bits);
  return integer_lane(wrap(static_cast<std::uint64_t>(zeros), type));
}

/// Beyond the clamp every number has long become 0 or infinite.
double scaled_by_power(double x, double n) {
  return std::isnan(n) ? n : std::ldexp(x, static_cast<int>(std::clamp(n, -5000.0, 5000.0)));
}
Lane is_nan(DataType, const Lane* x) { return integer_lane(std::isnan(x[0].real)); }
Lane is_infinite(DataType, const Lane* x) { return integer_lane(std::isinf(x[0].real)); }
Lane is_finite(DataType, const Lane* x) { return integer_lane(std::isfinite(x[0].real)); }
Lane identity(DataType, const Lane* x) { return x[0]; }

const std::unordered_map<std::string_view, LaneFunction>& table() {
  static const std::unordered_map<std::string_view, LaneFunction> functions = {
      {"exp", rounded<std::exp>},
      {"exp2", rounded<std::exp2>},
      {"exp10", rounded<exp10_of>},
      {"expm1", rounded<std::expm1>},
      {"log", rounded<std::log>},
      {"log2", rounded<std::log2>},
      {"log10", rounded<std::log10>},
      {"log1p", rounded<std::log1p>},
      {"sqrt", square_root},
      {"rsqrt", rounded<rsqrt_of>},
      {"tanh", rounded<std::tanh>},
      {"sigmoid", rounded<sigmoid_of>},
      {"erf", rounded<std::erf>},
      {"pow", rounded2<std::pow>},
      {"sin", rounded<std::sin>},
      {"cos", rounded<std::cos>},
      {"tan", rounded<std::tan>},
      {"asin", rounded<std::asin>},
      {"acos", rounded<std::acos>},
      {"atan", rounded<std::atan>},
      {"sinh", rounded<std::sinh>},
      {"cosh", rounded<std::cosh>},
      {"atan2", rounded2<std::atan2>},
      {"floor", rounded<std::floor>},
      {"ceil", rounded<std::ceil>},
      {"round", rounded<std::round>},
      {"nearbyint", rounded<std::nearbyint>},
      {"trunc", rounded<std::trunc>},
      {"copysign", rounded2<std::copysign>},
      {"scalbn", rounded2<scaled_by_power>},
      {"fmod", rounded2<std::fmod>},
      {"abs", absolute},
      {"fma", fused_multiply_add},
      {"popcount", population_count},
      {"clz", leading_zeros},
      {"isnan", is_nan},
      {"isinf", is_infinite},
      {"isfinite", is_finite},
      {"likely", identity},
  };
  return functions;
}

// By position in the table of intrinsics, so that a call costs no lookup of its name.
std::vector<LaneFunction> by_position() {
  std::vector<LaneFunction> functions;
  for (const Intrinsic& row : intrinsics()) {
    const auto found = table().find(row.name);
    functions.push_back(found == table().end() ? nullptr : found->second);
  }
  return functions;
}

}  // namespace

LaneFunction lane_function(const Intrinsic& op) {
  static const std::vector<LaneFunction> functions = by_position();
  const auto table = intrinsics();
  const std::less<const Intrinsic*> before;  // a registered one lies anywhere
  if (before(&op, table.data()) || !before(&op, table.data() + table.size())) return nullptr;
  return functions[static_cast<std::size_t>(&op - intrinsics().data())];
}

}  // namespace ardea::interp
