#pragma once

#include <functional>

#include "ardea/rules/derivation.h"
#include "ardea/schedule/config.h"
#include "ardea/schedule/script.h"

/// Templates that people write: a schedule with knobs, as a function of a derivation for program_space, or as
/// a script.

namespace ardea::rules {

/// define_split, define_reorder, define_knob, define_annotate and require on a derivation:
///
///   program_space(program, target, [](Derivation& d) {
///     schedule::Config cfg = config(d);
///     const auto rows = cfg.define_split("rows", d.steps().get_loops(d.steps().get_block("C"))[0], 2);
///     …
///   });
inline schedule::Config config(Derivation& d) { return {d.steps(), d}; }

/// The steps of a script, whose sampled numbers and what its cfg takes are left open.
std::function<void(Derivation&)> steps_of(schedule::Script script);

}  // namespace ardea::rules
