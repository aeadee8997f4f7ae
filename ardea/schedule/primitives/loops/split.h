#pragma once

#include "ardea/schedule/primitive.h"

namespace ardea::schedule {

struct Split {
  LoopRef loop;
  std::vector<std::optional<Number>> factors;
  bool preserve_unit_iters = true;
  bool disable_predication = false;
  std::string tail = "guard";
  using Results = std::vector<LoopRef>;
  static constexpr auto name = "split";
  static constexpr auto fields =
      std::tuple(field("loop", &Split::loop), field("factors", &Split::factors),
                 optional_field("preserve_unit_iters", &Split::preserve_unit_iters),
                 optional_field("disable_predication", &Split::disable_predication),
                 optional_field("tail", &Split::tail));
  static constexpr auto contract =
      R"(a loop becomes several, one inside the other, whose extents are the factors

for i in [0, n): S   =>   for i_0 in [0, f0): … for i_k in [0, fk): S[i := (i_0 * f1 + i_1) * … + i_k]

One factor may be None: it is what is left, n divided by the others, rounded up. Where the product is more than n,
tail decides: "guard" puts i < n on the blocks inside; "cut" runs as many whole rounds as fit and the rest in a
loop of its own, over a copy of S, which is the last result (none where nothing is left); "cut_rest" does the
same, and requires that something is left.
Requires positive factors whose product is at least n, and a plain loop: none that is parallel, vectorized,
unrolled, bound to a thread or annotated. disable_predication promises that the factors divide, and must be
proved. Without preserve_unit_iters loops of one iteration stay out of the bindings.
References into S stay valid; i forwards to (i_0, …).)";
  static constexpr std::array refusals = {"factor_not_positive", "factors_too_small",    "two_open_factors",
                                          "no_factors",          "tail_needs_a_guard",   "no_such_tail",
                                          "no_whole_round",      "cut_needs_outer_open", "loop_is_not_serial",
                                          "loop_is_annotated",   "bounds_read_memory",   "nothing_is_left"};
};
Outcome apply(const Function& f, const Split& step, Context& context);

}  // namespace ardea::schedule
