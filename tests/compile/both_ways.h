#pragma once

#include <string>
#include <vector>

#include "ardea/compile/compile.h"
#include "ardea/ir/function.h"
#include "ardea/runtime/array.h"

namespace ardea::test {

/// This machine, read once.
const target::Target& host();

/// The one function of a program text, verified.
Function program(const std::string& text);

/// An array for each buffer parameter, `sizes` in place of its symbolic extents, filled from the seed with
/// small numbers.
std::vector<runtime::Array> random_arguments(const Function& f, std::uint64_t seed,
                                             const std::vector<std::int64_t>& sizes = {});

/// Runs f interpreted and compiled (without contraction, at levels 0 and 3) on equal arguments and expects
/// the same bits, NaN being like NaN, or results within `ulps` units in the last place of their type.
void expect_same_both_ways(const Function& f, std::uint64_t seed, const std::vector<std::int64_t>& sizes = {},
                           double ulps = 0);

/// The same at each of some sizes, compiled once for all.
void expect_same_at_sizes(const Function& f, std::uint64_t seed,
                          const std::vector<std::vector<std::int64_t>>& sizes, double ulps = 0);

/// The text with `by` wherever `what` stands.
std::string replaced(std::string text, const std::string& what, const std::string& by);

/// The sentence of the Error that f throws; "" where it throws none.
std::string error_of(const std::function<void()>& f);

}  // namespace ardea::test
