#include "ardea/ir/neutral_element.h"

#include <limits>

namespace ardea {

namespace {

std::int64_t largest_integer(DataType type) {
  const int value_bits = type.is_int() ? type.bits - 1 : type.bits;
  if (value_bits >= 64) return -1;  // the bits of the largest uint64
  return static_cast<std::int64_t>((std::uint64_t{1} << value_bits) - 1);
}

Expr greatest_value(DataType type) {
  if (type.is_float()) return make_float(std::numeric_limits<double>::infinity(), type);
  return type.is_bool() ? make_bool(true) : make_int(largest_integer(type), type);
}

Expr least_value(DataType type) {
  if (type.is_float()) return make_float(-std::numeric_limits<double>::infinity(), type);
  if (type.is_bool()) return make_bool(false);
  return make_int(type.is_int() ? -largest_integer(type) - 1 : 0, type);
}

}  // namespace

Expr neutral_element(BinaryOp op, DataType type) {
  switch (op) {
    case BinaryOp::add:
    case BinaryOp::bit_or:
    case BinaryOp::bit_xor: return make_const(0, type);
    case BinaryOp::mul: return make_const(1, type);
    case BinaryOp::min: return greatest_value(type);
    case BinaryOp::max: return least_value(type);
    case BinaryOp::bit_and: return make_int(type.is_int() ? -1 : largest_integer(type), type);
    case BinaryOp::logical_and: return make_bool(true);
    case BinaryOp::logical_or: return make_bool(false);
    default: return {};
  }
}

}  // namespace ardea
