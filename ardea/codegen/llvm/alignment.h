#pragma once

#include <cstdint>
#include <unordered_map>

#include "ardea/ir/expr.h"

/// Which powers of two divide an index: what alignment follows from.

namespace ardea::codegen {

/// The largest power of two, up to what any alignment needs, that divides x.
std::int64_t power_of_two_in(std::int64_t x);

/// A power of two that divides e whatever its variables are, but for those in `divisors`, which are multiples
/// of theirs. Arithmetic that wraps keeps it.
std::int64_t known_divisor(const Expr& e, const std::unordered_map<Var, std::int64_t>& divisors);

}  // namespace ardea::codegen
