#pragma once

#include <concepts>
#include <type_traits>

#include "ardea/ir/expr.h"
#include "ardea/support/error.h"

/// C++ numbers on either side of an operator: `x * 0.5f`, `1 / x`, `2 * i`. A literal gets the type of the
/// expression beside it. (Without this file `x * 0.5` would not compile as meant: the number would be cut to
/// an integer.)

namespace ardea {

template <class T>
concept Number = std::is_arithmetic_v<T> && !std::same_as<T, bool>;

/// The number as a constant of the type of `like`; Error for a fraction beside an integer.
template <Number T>
Expr literal_like(const Expr& like, T value) {
  if constexpr (std::floating_point<T>) {
    require(like.type().is_float(),
            "the literal {} stands beside an expression of type {}; cast the expression to a float, or write "
            "an integer",
            value, to_string(like.type()));
    return make_const(static_cast<double>(value), like.type());
  } else {
    if (like.type().is_integer() && like.type().is_scalar())
      return make_int(static_cast<std::int64_t>(value), like.type());
    return make_const(static_cast<double>(value), like.type());
  }
}

template <std::floating_point T>
Expr operator+(const Expr& a, T b) {
  return a + literal_like(a, b);
}
template <std::floating_point T>
Expr operator-(const Expr& a, T b) {
  return a - literal_like(a, b);
}
template <std::floating_point T>
Expr operator*(const Expr& a, T b) {
  return a * literal_like(a, b);
}
template <Number T>
Expr operator/(const Expr& a, T b) {
  return a / literal_like(a, b);
}
template <Number T>
Expr operator+(T a, const Expr& b) {
  return literal_like(b, a) + b;
}
template <Number T>
Expr operator-(T a, const Expr& b) {
  return literal_like(b, a) - b;
}
template <Number T>
Expr operator*(T a, const Expr& b) {
  return literal_like(b, a) * b;
}
template <Number T>
Expr operator/(T a, const Expr& b) {
  return literal_like(b, a) / b;
}
template <Number T>
Expr operator<(const Expr& a, T b) {
  return a < literal_like(a, b);
}
template <Number T>
Expr operator<=(const Expr& a, T b) {
  return a <= literal_like(a, b);
}
template <Number T>
Expr operator>(const Expr& a, T b) {
  return a > literal_like(a, b);
}
template <Number T>
Expr operator>=(const Expr& a, T b) {
  return a >= literal_like(a, b);
}
template <Number T>
Expr min(const Expr& a, T b) {
  return min(a, literal_like(a, b));
}
template <Number T>
Expr max(const Expr& a, T b) {
  return max(a, literal_like(a, b));
}

}  // namespace ardea
