#pragma once

#include <string>
#include <vector>

#include "ardea/interp/interpreter.h"
#include "ardea/ir/function.h"

namespace ardea::campaign {

/// The first element in which two runs differ, in a sentence; empty where all bits agree. Any NaN agrees with
/// any other: its sign and payload are not part of a program's meaning.
std::string first_bit_difference(const Function& f, const std::vector<interp::Argument>& expected,
                                 const std::vector<interp::Argument>& got);

/// Whether every operation of f has one right result to the bit: no library function whose last place is the
/// library's affair.
bool is_bit_exact(const Function& f);

}  // namespace ardea::campaign
