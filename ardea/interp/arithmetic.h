#pragma once

#include "ardea/interp/value.h"
#include "ardea/ir/expr.h"

/// What each operation does to one lane: docs/semantics.md as code. Types are element types (one lane);
/// operands are values of their type, and so is the result.

namespace ardea::interp {

/// The value of the low bits of `bits` as an integer (or bool) of that type: how every integer operation
/// wraps.
std::int64_t wrap(std::uint64_t bits, DataType type);

/// Whether `op` has no meaning on these operands: a division or modulo by zero.
bool is_undefined(BinaryOp op, DataType type, Lane right);

/// `type` is that of the operands. Requires !is_undefined.
Lane apply(BinaryOp op, DataType type, Lane left, Lane right);
Lane apply(UnaryOp op, DataType type, Lane operand);

/// Wraps, saturates or rounds, as docs/semantics.md says for the pair.
Lane convert(Lane value, DataType from, DataType to);

}  // namespace ardea::interp
