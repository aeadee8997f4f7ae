#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ardea/interp/interpreter.h"
#include "ardea/ir/function.h"

namespace ardea::measure {

/// What one call of a program does.
struct Work {
  double operations = 0;
  double bytes = 0;  ///< every input read once, every output written once
};

/// Counted from the program: additions, products, comparisons, quotients and functions of values that come
/// from memory (a fused multiply-add is two), as often as the loops around run; index arithmetic, casts and
/// copies count nothing, what stands under a condition counts as if it always ran. Nothing where the extent
/// of a loop depends on another loop or on data.
std::optional<Work> count_work(const Function& f, const std::vector<interp::Argument>& arguments);
/// The same of a program all of whose sizes are numbers.
std::optional<Work> count_work(const Function& f);

/// Bytes of the arrays, twice for those that are read and written.
double argument_bytes(const Function& f, const std::vector<interp::Argument>& arguments);

}  // namespace ardea::measure
