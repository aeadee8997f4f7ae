#pragma once

#include "ardea/rules/rule.h"
#include "ardea/rules/sketch.h"
#include "ardea/space/choice.h"
#include "ardea/space/solver.h"

namespace ardea::rules {

/// A way through the rules that leads to no program, and why.
struct LeftOut {
  std::vector<Way> ways;
  std::string reason;
};

/// A sketch with its solver.
struct SolvedSketch {
  Sketch sketch;
  std::unique_ptr<space::Solver> solver;
};

/// One program out of a space.
using space::Choice;

/// Points drawn out of a space.
struct Drawn {
  std::vector<Choice> choices;
  std::vector<std::string> alarms;  ///< sentences, where they must not be trusted as uniform
};

/// Of sets that share nothing; exact where each is.
space::Count sum_of(const std::vector<space::Count>& counts);

/// All that the rules make of a program for a target: the disjoint union of sketches, the model's first.
struct ProgramSpace {
  Function program;
  target::Target target;
  std::vector<SolvedSketch> sketches;
  std::vector<LeftOut> left_out;
  std::size_t not_followed = 0;  ///< ways, at least, beyond the most sketches that a space of rules has

  /// Of each sketch.
  std::vector<space::Count> counts(std::uint64_t seed = 1) const;
  /// Of all sketches; exact where it is exact of each.
  space::Count count(std::uint64_t seed = 1) const { return sum_of(counts(seed)); }
  /// Sketches weigh equally, the points of one are uniform. The same for the same seed.
  Drawn sample(std::size_t count, std::uint64_t seed) const;
  schedule::Schedule materialise(const Choice& choice) const;
};

struct SpaceOptions {
  SketchOptions sketch = {};
  /// With weights ahead every point packs them by a block of its own (schedule::separate_packing); ways that
  /// do not are left out.
  Wishes wishes = {};
  /// Sketches that deferred no question are tried at two points, too, though proofs stand for all of them: it
  /// takes up to half of the time. Who judges each program that is drawn needs it of no rules but new ones.
  bool tries_what_is_proved = true;
  /// That make sketches; 0 is as many as this process runs parallel loops on. Steps that keep something
  /// between runs ask for one.
  int threads = 0;
};

/// The sketch with a solver, after it was judged (witnesses.h).
SolvedSketch solved(Sketch sketch);

/// Every way through the steps (Derivation::way), as a sketch each: ways that begin alike take their first
/// steps once. Error where none is left, with what stands against it. Several threads take the steps at once
/// (SpaceOptions::threads); what comes out does not depend on how many.
ProgramSpace program_space(const Function& program, const target::Target& target,
                           const std::function<void(Derivation&)>& steps, const SpaceOptions& options = {});

/// The same of the steps that rules take; of many ways, the ones that differ least from the model's.
ProgramSpace program_space(const Function& program, const target::Target& target, const RuleSet& rules,
                           const SpaceOptions& options = {});

/// The schedule that the model chooses: what runs where nothing is tuned.
struct ModelSchedule {
  schedule::Schedule schedule;
  std::vector<std::string> rules;  ///< that took the steps
  bool has_packed_ahead = false;   ///< the weights, as was wished
};

/// Nothing where no rule has taken a step.
std::optional<ModelSchedule> model_schedule(const Function& program, const target::Target& target,
                                            const RuleSet& rules, Wishes wishes = {});

}  // namespace ardea::rules
