#include "tests/ops/compare.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "ardea/measure/bounded_value.h"
#include "ardea/support/random.h"
#include "tests/ops/reference.h"

namespace ardea::test {

namespace {

Problem problem_of(const ops::Workload& w) {
  return {w.op, w.sizes, !w.layout.empty() && w.layout.back() == 'c', w.transpose_b};
}

double integer_limit(DataType type, bool high) {
  const int bits = type.is_int() ? type.bits - 1 : type.bits;
  if (high) return std::ldexp(1, bits) - 1;
  return type.is_int() ? -std::ldexp(1, bits) : 0;
}

void fill(const runtime::Array& array, const ops::Workload& w, const std::string& name, Random random) {
  const DataType type = array.type();
  // Wide enough to saturate an integer result.
  const double size = w.out.is_integer() ? 15 : 2;
  for (std::int64_t i = 0; i < array.element_count(); ++i) {
    if (type.is_float())
      array.set_float(i, name == "var" ? 0.25 + random.real() : size * (2 * random.real() - 1));
    else if (type.bits <= 8)
      array.set_int(i, random.integer(static_cast<std::int64_t>(integer_limit(type, false)),
                                      static_cast<std::int64_t>(integer_limit(type, true))));
    else
      array.set_int(i, random.integer(-3000, 3000));
  }
}

template <class T>
Plain<T> plain(const runtime::Array& array) {
  Plain<T> copy(array.shape());
  for (std::int64_t i = 0; i < array.element_count(); ++i) {
    T& to = copy.values[static_cast<std::size_t>(i)];
    if constexpr (std::is_same_v<T, std::int64_t>)
      to = array.get_int(i);
    else
      to = array.get_float(i);
  }
  return copy;
}

template <class T>
Plain<T> expected(const ops::Workload& w, const std::vector<runtime::Array>& arrays) {
  std::vector<Plain<T>> inputs;
  for (std::size_t i = 0; i + 1 < arrays.size(); ++i) inputs.push_back(plain<T>(arrays[i]));
  return reference(problem_of(w), inputs);
}

double tiny_of(DataType type) {
  if (!type.is_float()) return 0;
  if (type.bits == 16) return type.code == TypeCode::bfloat ? 1e-40 : 0x1p-24;
  if (type.is_float8()) return type.code == TypeCode::float8_e4m3 ? 0x1p-9 : 0x1p-16;
  return type.bits == 32 ? 0x1p-149 : 0x1p-1074;
}

/// A real result in the output's type: rounded, or cut to an integer inside the type's range.
bool agrees(double got, const Tracked& want, DataType out) {
  // Twice: the operator may take its steps in another order than the reference, and that is inexact in
  // float64 as well.
  const double slack = 2 * want.error;
  if (out.is_integer()) {
    const double low = integer_limit(out, false), high = integer_limit(out, true);
    return std::clamp(std::trunc(want.value - slack), low, high) <= got &&
           got <= std::clamp(std::trunc(want.value + slack), low, high);
  }
  const double rounding = measure::unit_roundoff(out) * (std::fabs(want.value) + slack) + tiny_of(out);
  return std::fabs(got - want.value) <= slack + rounding;
}

}  // namespace

std::vector<runtime::Array> arguments_for(const ops::Workload& w, std::uint64_t seed) {
  Random random(seed);
  std::vector<runtime::Array> arrays;
  const ops::Operator& op = ops::find(w.op);
  for (const te::Tensor& tensor : ops::build(w)) {
    std::vector<std::int64_t> shape;
    for (const Expr& extent : tensor.shape()) shape.push_back(constant_int(extent).value());
    arrays.push_back(runtime::Array::zeros(shape, tensor.type()));
    if (arrays.size() <= op.inputs.size()) {
      fill(arrays.back(), w, op.inputs[arrays.size() - 1].name, random.split());
      continue;
    }
    for (std::int64_t i = 0; i < arrays.back().element_count(); ++i) arrays.back().set_float(i, -77);
  }
  return arrays;
}

std::vector<runtime::Array> copies(const std::vector<runtime::Array>& arrays) {
  std::vector<runtime::Array> all;
  for (const runtime::Array& array : arrays) all.push_back(array.copy());
  return all;
}

std::string difference(const ops::Workload& w, const std::vector<runtime::Array>& arrays) {
  const runtime::Array& got = arrays.back();
  if (w.acc.is_integer()) {
    const Plain<std::int64_t> want = expected<std::int64_t>(w, arrays);
    if (want.shape != got.shape()) return "the output has another shape than the reference";
    const runtime::Array wrapped = runtime::Array::zeros(got.shape(), got.type());
    for (std::int64_t i = 0; i < got.element_count(); ++i) {
      wrapped.set_int(i, want.values[static_cast<std::size_t>(i)]);
      if (got.get_int(i) != wrapped.get_int(i))
        return fmt::format("element {} is {}, should be {}", i, got.get_int(i), wrapped.get_int(i));
    }
    return "";
  }
  Tracked::unit = measure::unit_roundoff(w.acc);
  Tracked::tiny = tiny_of(w.acc);
  const Plain<Tracked> want = expected<Tracked>(w, arrays);
  if (want.shape != got.shape()) return "the output has another shape than the reference";
  for (std::int64_t i = 0; i < got.element_count(); ++i) {
    const Tracked& value = want.values[static_cast<std::size_t>(i)];
    if (!std::isfinite(value.error)) return fmt::format("the reference has no bound for element {}", i);
    if (!agrees(got.get_float(i), value, got.type()))
      return fmt::format("element {} is {}, should be {} within {}", i, got.get_float(i), value.value,
                         2 * value.error);
  }
  return "";
}

}  // namespace ardea::test
