#pragma once

#include "ardea/schedule/primitive.h"

/// Saying how a loop runs. bind.h has threads.

namespace ardea::schedule {

struct Parallel {
  LoopRef loop;
  static constexpr auto name = "parallel";
  static constexpr auto fields = std::tuple(field("loop", &Parallel::loop));
  static constexpr auto contract =
      "a loop's iterations run on several threads\n\n"
      "Requires a serial loop that carries no dependence (a reduction's updates are one).";
  static constexpr std::array refusals = {"loop_is_not_serial", "loop_carries_dependence"};
};
Outcome apply(const Function& f, const Parallel& step, Context& context);

struct Vectorize {
  LoopRef loop;
  static constexpr auto name = "vectorize";
  static constexpr auto fields = std::tuple(field("loop", &Vectorize::loop));
  static constexpr auto contract =
      "a loop's iterations become lanes of vectors\n\n"
      "Requires a serial loop that carries no dependence (a reduction's updates are one) and holds no "
      "tensor\n"
      "instruction.";
  static constexpr std::array refusals = {"loop_is_not_serial", "loop_carries_dependence",
                                          "holds_instruction"};
};
Outcome apply(const Function& f, const Vectorize& step, Context& context);

struct Unroll {
  LoopRef loop;
  static constexpr auto name = "unroll";
  static constexpr auto fields = std::tuple(field("loop", &Unroll::loop));
  static constexpr auto contract =
      "a loop's body is written out for each iteration\n\n"
      "Requires a serial loop.";
  static constexpr std::array refusals = {"loop_is_not_serial"};
};
Outcome apply(const Function& f, const Unroll& step, Context& context);

}  // namespace ardea::schedule
