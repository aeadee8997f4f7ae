#pragma once

#include <optional>

#include "ardea/ir/parse_types.h"

/// Arithmetic of numbers that wait for their type, as Python has it: integers exactly, reals in float64, `/`
/// of two integers a real. The result waits, too, so that `2 * j + 1` fits whatever it meets.

namespace ardea::te {

/// a op b; a comparison gives a bool constant. Nothing where Python has the operation and this dialect has
/// not. Error on a division by zero and on a result that 64 bits, or float64, cannot hold.
std::optional<Operand> fold(BinaryOp op, const BareNumber& a, const BareNumber& b);

/// a ** b.
Operand fold_power(const BareNumber& a, const BareNumber& b);

/// The integer, where it fits int64.
std::optional<std::int64_t> integer_of(const BareNumber& number);

}  // namespace ardea::te
