#pragma once

#include "ardea/schedule/primitive.h"

/// Saying how a loop runs. bind.h has threads.

namespace ardea::schedule {

struct Parallel {
  LoopRef loop;
  using Results = void;
  static constexpr auto name = "parallel";
  static constexpr auto fields = std::tuple(field("loop", &Parallel::loop));
  static constexpr auto contract =
      R"(a loop's iterations run on several threads

Requires a serial loop that carries no dependence (a reduction's updates are one). A parallel loop stays as it is.)";
  static constexpr std::array refusals = {"loop_is_not_serial", "loop_carries_dependence"};
};
Outcome apply(const Function& f, const Parallel& step, Context& context);

struct Vectorize {
  LoopRef loop;
  using Results = void;
  static constexpr auto name = "vectorize";
  static constexpr auto fields = std::tuple(field("loop", &Vectorize::loop));
  static constexpr auto contract =
      R"(a loop's iterations become lanes of vectors

Requires a serial loop that carries no dependence (a reduction's updates are one) and holds no tensor
instruction. A vectorized loop stays as it is.)";
  static constexpr std::array refusals = {"loop_is_not_serial", "loop_carries_dependence",
                                          "holds_instruction"};
};
Outcome apply(const Function& f, const Vectorize& step, Context& context);

struct Unroll {
  LoopRef loop;
  using Results = void;
  static constexpr auto name = "unroll";
  static constexpr auto fields = std::tuple(field("loop", &Unroll::loop));
  static constexpr auto contract =
      R"(a loop's body is written out for each iteration

Requires a serial loop. An unrolled loop stays as it is.)";
  static constexpr std::array refusals = {"loop_is_not_serial"};
};
Outcome apply(const Function& f, const Unroll& step, Context& context);

}  // namespace ardea::schedule
