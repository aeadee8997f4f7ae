#pragma once

#include <vector>

#include "ardea/cost/formulas.h"
#include "ardea/ir/function.h"
#include "ardea/limits/limits.h"
#include "ardea/target/target.h"

namespace ardea::cost {

/// By Feature, as formulas over what `inputs` gives the program's parameters. `placed` is the program after
/// lower/limits_of.h has placed its memory, with its limits. A variable that is neither a loop nor an input,
/// such as a size that only a call knows, counts as `typical_size`.
std::vector<Formulas::Value> counted(const Function& placed, const limits::Limits& limits,
                                     const Formulas::Environment& inputs, const target::Target& target,
                                     int threads, Formulas& formulas);

inline constexpr std::int64_t typical_size = 128;

}  // namespace ardea::cost
