#pragma once

#include <memory>

#include "ardea/tune/measurer.h"

namespace ardea::tune {

/// How simulated times are taken, with its version: what measure::protocol is of measured ones.
inline constexpr auto simulated_protocol = "simulated-cycles-1";

/// For machines that are not here: each candidate runs by the interpreter, its answers are compared with the
/// program's, and its time is that of a cycle model (measure/simulate.h), the same every time. Nothing is
/// measured.
std::unique_ptr<Measurer> measured_by_simulation(const Function& program, const target::Target& target,
                                                 std::uint64_t seed = 0);

}  // namespace ardea::tune
