#include "ardea/lower/packed_nibbles.h"

#include "ardea/lower/single_lane.h"

namespace ardea::lower {

namespace {

Expr with_bits(BinaryOp op, const Expr& a, std::int64_t b) {
  return make_binary(op, a, make_int(b, a.type()));
}

/// Where in its byte the element begins: 0 or 4, as uint8.
Expr shift_of(const Expr& index) {
  const Expr odd = with_bits(BinaryOp::bit_and, index, 1);
  return make_cast(uint8.with_lanes(index.type().lanes), with_bits(BinaryOp::shift_left, odd, 2));
}

Stmt store_one(const Buffer& bytes, const Expr& index, const Expr& value) {
  const Expr byte = with_bits(BinaryOp::shift_right, index, 1);
  const Var shift("shift", uint8);
  const Expr neighbour = make_binary(BinaryOp::bit_and, make_load(bytes, {byte}),
                                     make_binary(BinaryOp::shift_right, make_int(0xf0, uint8), shift));
  const Expr own =
      make_binary(BinaryOp::shift_left, with_bits(BinaryOp::bit_and, make_cast(uint8, value), 0xf), shift);
  return LetStmt{shift, shift_of(index),
                 make_store(bytes, {byte}, make_binary(BinaryOp::bit_or, neighbour, own))};
}

}  // namespace

bool is_nibble(DataType type) { return type.is_integer() && type.bits == 4; }

DataType byte_type(DataType nibble) { return (nibble.is_int() ? int8 : uint8).with_lanes(nibble.lanes); }

Expr to_nibble(const Expr& value, DataType nibble) {
  const DataType byte = byte_type(nibble).with_lanes(value.type().lanes);
  const Expr whole = make_cast(byte, value);
  if (value.type().is_bool()) return whole;
  if (value.type().is_float()) {
    const Expr below = min(whole, make_int(nibble.is_int() ? 7 : 15, byte));
    return nibble.is_int() ? max(below, make_int(-8, byte)) : below;
  }
  if (!nibble.is_int()) return with_bits(BinaryOp::bit_and, whole, 0xf);
  return with_bits(BinaryOp::shift_right, with_bits(BinaryOp::shift_left, whole, 4), 4);
}

Expr load_nibble(const Buffer& bytes, const Expr& index, DataType nibble, const Expr& predicate) {
  const Expr byte = make_load(bytes, {with_bits(BinaryOp::shift_right, index, 1)}, predicate);
  return to_nibble(make_binary(BinaryOp::shift_right, byte, shift_of(index)), nibble);
}

Stmt store_nibble(const Buffer& bytes, const Expr& index, const Expr& value, const Expr& predicate) {
  const Var at("at", index.type()), stored("stored", value.type()),
      mask("mask", boolean.with_lanes(value.type().lanes));
  std::vector<Stmt> lanes;
  for (int lane = 0; lane < value.type().lanes; ++lane) {
    const Stmt one = store_one(bytes, lane_of(at, lane), lane_of(stored, lane));
    lanes.push_back(predicate.defined() ? make_if(lane_of(mask, lane), one) : one);
  }
  // All is computed before the first lane is stored.
  Stmt all = make_seq(std::move(lanes));
  if (predicate.defined()) all = LetStmt{mask, predicate, all};
  return LetStmt{at, index, LetStmt{stored, value, all}};
}

}  // namespace ardea::lower
