#include "ardea/lower/functions/terms.h"

namespace ardea::lower::functions {

Expr absolute(const Expr& x) { return make_call("abs", {x}); }
Expr with_sign_of(const Expr& magnitude, const Expr& sign) {
  return make_call("copysign", {magnitude, sign});
}
Expr shift_left(const Expr& a, int amount) {
  return make_binary(BinaryOp::shift_left, a, make_int(amount, a.type()));
}
Expr shift_right(const Expr& a, int amount) {
  return make_binary(BinaryOp::shift_right, a, make_int(amount, a.type()));
}
Expr bit_and(const Expr& a, const Expr& b) { return make_binary(BinaryOp::bit_and, a, b); }
Expr bit_or(const Expr& a, const Expr& b) { return make_binary(BinaryOp::bit_or, a, b); }
Expr bit_xor(const Expr& a, const Expr& b) { return make_binary(BinaryOp::bit_xor, a, b); }

Expr Terms::keep(const std::string& name, const Expr& value) {
  const Var var(name, value.type());
  kept_.emplace_back(var, value);
  return var;
}

Expr Terms::finish(Expr result) const {
  for (std::size_t i = kept_.size(); i-- > 0;)
    result = make_let(kept_[i].first, kept_[i].second, std::move(result));
  return result;
}

Expr Terms::fma(const Expr& a, const Expr& b, const Expr& c) const {
  return machine_.fused ? make_call("fma", {a, b, c}) : a * b + c;
}

Expr Terms::polynomial(const Expr& x, std::span<const double> c) {
  constexpr std::size_t worth_pairs = 5;
  if (machine_.in_pairs && c.size() >= worth_pairs) {
    const Expr square = keep("square", x * x);
    std::size_t left = c.size();
    const auto pair = [&] {
      left -= 2;
      return fma(constant(c[left + 1]), x, constant(c[left]));
    };
    Expr value = left % 2 == 1 ? constant(c[--left]) : pair();
    while (left > 0) value = fma(value, square, pair());
    return value;
  }
  Expr value = constant(c.back());
  for (std::size_t i = c.size() - 1; i-- > 0;) value = fma(value, x, constant(c[i]));
  return value;
}

Expr Terms::bits(const Expr& x) const { return make_call("reinterpret", word_type(), {x}); }
Expr Terms::from_bits(const Expr& w) const { return make_call("reinterpret", type_, {w}); }

Expr Terms::power_of_two(const Expr& shifted, const Expr& biased_offset) const {
  // Above the integer stand the shifter's own bits, which the shift pushes out.
  return from_bits(shift_left(bits(shifted), mantissa_bits()) + biased_offset);
}

Expr Terms::power_of_two(const Expr& shifted, std::int64_t offset) const {
  return power_of_two(shifted, word((bias() + static_cast<std::uint64_t>(offset)) << mantissa_bits()));
}

Expr Terms::lifted_power(const Expr& shifted) const {
  return from_bits(shift_left(bits(shifted), mantissa_bits()));
}

Expr Terms::looked_up(const Expr& shifted, std::span<const double> values) const {
  std::vector<Expr> numbers;
  std::vector<std::int64_t> in_order;
  for (const double value : values) {
    in_order.push_back(std::ssize(numbers));
    numbers.push_back(make_const(value, type_.element()));
  }
  return make_call("lookup", {bits(shifted), make_shuffle(std::move(numbers), std::move(in_order))});
}

Expr Terms::at_most(const Expr& x, double high) const {
  return make_select(x > constant(high), constant(high), x);
}

Expr Terms::clamped(const Expr& x, double low, double high) const {
  const Expr below = at_most(x, high);
  return make_select(below < constant(low), constant(low), below);
}

Pair Terms::quick_sum(const Expr& a, const Expr& b) {
  const Expr high = keep("sum", a + b);
  return {high, keep("rest", b - (high - a))};
}

Pair Terms::sum(const Expr& a, const Expr& b) {
  const Expr high = keep("sum", a + b);
  const Expr part = keep("part", high - a);
  return {high, keep("rest", (a - (high - part)) + (b - part))};
}

// Veltkamp's splitting: each half has at most half the bits, so that products of halves are exact.
Pair Terms::halves(const Expr& x) {
  const Expr wide = keep("wide", x * constant(0x1p12 + 1, 0x1p27 + 1));
  const Expr high = keep("upper", wide - (wide - x));
  return {high, keep("lower", x - high)};
}

Pair Terms::product(const Expr& a, const Expr& b) {
  if (machine_.fused) {
    // As a fused operation, so that the backend does not fuse it once more with a sum that uses it.
    const Expr high = keep("product", make_call("fma", {a, b, constant(-0.0)}));
    return {high, keep("rest", make_call("fma", {a, b, -high}))};
  }
  const Expr high = keep("product", a * b);
  const Pair x = halves(a), y = halves(b);
  const Expr low = ((x.high * y.high - high) + x.high * y.low + x.low * y.high) + x.low * y.low;
  return {high, keep("rest", low)};
}

}  // namespace ardea::lower::functions
