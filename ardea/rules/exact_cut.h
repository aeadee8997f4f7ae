#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ardea/rules/derivation.h"

namespace ardea::rules {

/// A loop in parts of equal length, all of them whole: two numbers whose product is the extent. Unlike parts
/// of which the last may be shorter, they need no guard, and what is computed for each can be told exactly.
struct ExactCut {
  schedule::Number parts, length;
};

/// The length is one of `lengths` that divide the extent, or the model's.
ExactCut exact_cut(Derivation& d, const std::string& name, std::int64_t extent,
                   const std::vector<std::int64_t>& lengths, std::int64_t model);

/// The loops over parts and over one part.
std::vector<schedule::LoopRef> split(Derivation& d, const schedule::LoopRef& loop, const ExactCut& cut);

/// The largest divisor that is no more than `most`.
std::int64_t largest_divisor(std::int64_t number, std::int64_t most);

/// Rising, 1 and the number itself included.
std::vector<std::int64_t> divisors_of(std::int64_t number);

}  // namespace ardea::rules
