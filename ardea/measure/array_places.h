#pragma once

#include <cstddef>
#include <vector>

#include "ardea/interp/interpreter.h"
#include "ardea/ir/function.h"

namespace ardea::measure {

/// How many places what is written has, beside what is read.
inline constexpr std::size_t array_places = 4;

/// The arguments so many times over. Each time what is written (`written`, places among them) lies at another
/// distance from what is read, modulo pages: a load waits for an earlier store where the addresses are equal
/// in their last twelve bits, so that a program may be twice as fast in one place as in another, and callers
/// put their arrays anywhere. All places of an array share memory and elements, as far as they overlap; the
/// first of them holds its elements. Each begins on the multiple that `f` promises, and on one of
/// allocation_alignment_bytes.
std::vector<std::vector<interp::Argument>> in_several_places(const Function& f,
                                                             const std::vector<interp::Argument>& given,
                                                             const std::vector<std::size_t>& written);

}  // namespace ardea::measure
