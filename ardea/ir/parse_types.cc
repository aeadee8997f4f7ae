#include "ardea/ir/parse_types.h"

#include <charconv>
#include <cmath>

#include "ardea/support/error.h"

namespace ardea {

bool widens(DataType from, DataType to) {
  return to.element() == int64 && from.is_integer() && from.bits < 64 && from.lanes == to.lanes;
}

bool is_widening_cast(const Expr& e) {
  const auto* cast = e.as<Cast>();
  return cast != nullptr && widens(cast->value.type(), e.type());
}

namespace {

template <class Float>
std::optional<Float> read_float(const std::string& text) {
  Float value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

double real_value(const BareNumber& number, DataType type) {
  if (!number.real) return static_cast<double>(number.magnitude);
  // Straight to float32: through double the text would be rounded twice.
  if (type.element() == float32)
    if (const auto narrow = read_float<float>(number.text)) return *narrow;
  const std::optional<double> wide = read_float<double>(number.text);
  require(wide.has_value(), "the number {} does not fit float64", number.text);
  return *wide;
}

Expr float_constant(const BareNumber& number, DataType type) {
  const double value = real_value(number, type);
  Expr constant = make_float(number.negative ? -value : value, type);
  const Expr& lane = type.is_vector() ? constant.as<Broadcast>()->value : constant;
  require(std::isfinite(lane.as<FloatImm>()->value), "the number {} does not fit {}", number.text,
          to_string(type.element()));
  return constant;
}

Expr integer_constant(const BareNumber& number, DataType type) {
  constexpr std::uint64_t top = std::uint64_t{1} << 63;
  const bool unsigned_64 = type.element() == uint64;
  const bool fits =
      number.negative ? number.magnitude <= (unsigned_64 ? 0 : top) : unsigned_64 || number.magnitude < top;
  require(fits, "the constant {}{} does not fit {}", number.negative ? "-" : "", number.magnitude,
          to_string(type.element()));
  const std::uint64_t bits = number.negative ? 0 - number.magnitude : number.magnitude;
  return make_int(static_cast<std::int64_t>(bits), type);
}

}  // namespace

Expr typed_constant(const BareNumber& number, DataType type) {
  if (type.is_float()) return float_constant(number, type);
  require(!number.real, "the number {} is not of type {}", number.text, to_string(type));
  require(type.is_integer(), "the number {} is not of type {}", number.text, to_string(type));
  return integer_constant(number, type);
}

Expr TypingLaws::settle(const Operand& operand) const {
  if (operand.typed()) return operand.expr;
  return typed_constant(*operand.bare, operand.bare->real ? float32 : int64);
}

Expr TypingLaws::meet(const Operand& operand, DataType type) const {
  if (operand.bare) {
    const bool takes = operand.bare->real ? type.is_float() : type.is_float() || type.is_integer();
    return takes ? typed_constant(*operand.bare, type) : settle(operand);
  }
  if (!exact_ && widens(operand.expr.type(), type)) return make_cast(type, operand.expr);
  return operand.expr;
}

Expr TypingLaws::declare(const Operand& operand, DataType type) const {
  Expr value = meet(operand, type);
  if (exact_ || operand.bare || !value.type().is_integer() || !type.is_integer()) return value;
  return make_cast(type, value);
}

Expr TypingLaws::index(const Operand& operand) const {
  return meet(operand, operand.bare ? int64 : int64.with_lanes(operand.expr.type().lanes));
}

DataType TypingLaws::common_type(const std::vector<Operand>& operands) const {
  std::optional<DataType> common;
  bool real = false;
  for (const Operand& operand : operands) {
    if (operand.bare) {
      real = real || operand.bare->real;
    } else if (const DataType type = operand.expr.type(); !common || (!exact_ && widens(*common, type))) {
      common = type;
    }
  }
  return common.value_or(real ? float32 : int64);
}

std::vector<Expr> TypingLaws::unify(const std::vector<Operand>& operands) const {
  const DataType type = common_type(operands);
  std::vector<Expr> met;
  met.reserve(operands.size());
  for (const Operand& operand : operands) met.push_back(meet(operand, type));
  return met;
}

}  // namespace ardea
