#pragma once

#include "ardea/schedule/primitive.h"

/// Steps that choose by chance: by hand a draw from the seed of the schedule, kept in the trace as the
/// decision. A decision that is given is taken, where it fits. In a template numbers stay open: they are
/// variables of it (posting.h).

namespace ardea::schedule {

struct SamplePerfectTile {
  LoopRef loop;
  std::int64_t n = 2;
  std::int64_t max_innermost_factor = 16;
  std::optional<std::vector<Number>> decision = {};
  std::optional<std::string> called = {};  ///< the variables of a template: called_0, called_1, …
  using Results = std::vector<NumberRef>;
  static constexpr auto name = "sample_perfect_tile";
  static constexpr auto fields =
      std::tuple(field("loop", &SamplePerfectTile::loop), field("n", &SamplePerfectTile::n),
                 optional_field("max_innermost_factor", &SamplePerfectTile::max_innermost_factor),
                 optional_field("decision", &SamplePerfectTile::decision),
                 optional_field("called", &SamplePerfectTile::called));
  static constexpr auto contract = R"(n numbers whose product is the extent of a loop, drawn by chance

Every list of n positive factors of the extent whose last is at most max_innermost_factor is equally likely.
Requires an extent that is a number, or a decision: such a list, also of a template's variables, of which that becomes
a constraint. The results are for split's factors. In a template they are variables of the name `called`, or of the
loop's, with their places.)";
  static constexpr std::array refusals = {"extent_is_symbolic", "no_tiles", "decision_does_not_fit"};
};
Outcome apply(const Function& f, const SamplePerfectTile& step, Context& context);

struct SampleCategorical {
  std::vector<std::int64_t> candidates;
  std::vector<double> probs;
  std::optional<std::int64_t> decision = {};
  std::optional<std::string> called = {};  ///< the variable of a template
  using Results = NumberRef;
  static constexpr auto name = "sample_categorical";
  static constexpr auto fields = std::tuple(field("candidates", &SampleCategorical::candidates),
                                            field("probs", &SampleCategorical::probs),
                                            optional_field("decision", &SampleCategorical::decision),
                                            optional_field("called", &SampleCategorical::called));
  static constexpr auto contract = R"(one of several numbers, drawn by chance

Each candidate has the probability of the same place in the list, which must be finite and not negative, and
whose sum must be positive. A decision is the place of a candidate, from 0. The result may stand wherever a step
takes a number. In a template it is a variable of the name `called`, or nearly so where that is taken.)";
  static constexpr std::array refusals = {"no_candidates", "probabilities_do_not_fit",
                                          "decision_does_not_fit"};
};
Outcome apply(const Function& f, const SampleCategorical& step, Context& context);

}  // namespace ardea::schedule
