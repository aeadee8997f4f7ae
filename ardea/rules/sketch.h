#pragma once

#include <functional>

#include "ardea/limits/limits.h"
#include "ardea/rules/rule.h"
#include "ardea/schedule/posting.h"
#include "ardea/schedule/schedule.h"
#include "ardea/space/system.h"
#include "ardea/target/target.h"

namespace ardea::rules {

/// A schedule whose numbers are open, and the constraints that a choice of them must fulfil: every solution
/// is a schedule that applies and fits the machine.
struct Sketch {
  Function program;                   ///< before the first step
  schedule::Trace trace;              ///< whose sampling steps gave the variables
  Function symbolic;                  ///< after the last: the variables are scalar parameters of it
  std::vector<schedule::Knob> knobs;  ///< the knobs of the system, in the same order
  space::System system;
  std::vector<schedule::Refusal> deferred;  ///< judged when a point is materialised, and not before
  std::vector<Way> ways = {};               ///< that the rules took
  /// The names of the constraints that no step needs: a point that breaks only these is a program, and one
  /// that another point is already, or that somebody did not want.
  std::vector<std::string> kept = {};
  /// What the symbolic program takes of the machine, over the knobs.
  std::vector<limits::Bound> taken = {};
  /// What the model of the machine chooses, where that is a solution.
  std::optional<space::Point> model = {};
};

/// What is asked of a sketch besides that its programs are valid.
struct SketchOptions {
  /// What every nest works on at this level of cache (footprints.h) fits into it.
  std::optional<int> within_cache = {};
};

/// What the steps make of the program where what they sample (sample_perfect_tile, sample_categorical) stays
/// open. Error where a step is refused for every choice, where it needs a condition that the constraint
/// language cannot express, or where the program never fits the target.
Sketch make_sketch(const Function& program, const target::Target& target,
                   const std::function<void(schedule::Schedule&)>& steps, const SketchOptions& options = {});

/// The same of what rules have derived.
Sketch make_sketch(const Function& program, const Derivation& derived, const SketchOptions& options = {});

/// The schedule with the numbers of a point: the steps once more, by hand. Error where one is refused, which
/// for a solution of the system is a defect of the rule that made the sketch.
schedule::Schedule materialise(const Sketch& sketch, const space::Point& point);
/// The same, with its history: its first steps are not judged again where they are those of `past`, the
/// history of a replay of the same program.
schedule::Schedule materialise(const Sketch& sketch, const space::Point& point,
                               schedule::Schedule::History past);

}  // namespace ardea::rules
