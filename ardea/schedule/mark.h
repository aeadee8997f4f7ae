#pragma once

#include "ardea/schedule/primitive.h"

/// Saying how a loop runs, or something about it.

namespace ardea::schedule {

/// Iterations may run at the same time on several threads. Requires a serial loop that carries no dependence
/// (a reduction's updates are one), directly in the root block or in blocks around that allow it.
struct Parallel {
  LoopRef loop;
  static constexpr auto name = "parallel";
  static constexpr auto fields = std::tuple(field("loop", &Parallel::loop));
};
Outcome apply(const Function& f, const Parallel& step, Context& context);

/// Iterations become lanes. Requires the same of the loop.
struct Vectorize {
  LoopRef loop;
  static constexpr auto name = "vectorize";
  static constexpr auto fields = std::tuple(field("loop", &Vectorize::loop));
};
Outcome apply(const Function& f, const Vectorize& step, Context& context);

/// The body is written out for each iteration.
struct Unroll {
  LoopRef loop;
  static constexpr auto name = "unroll";
  static constexpr auto fields = std::tuple(field("loop", &Unroll::loop));
};
Outcome apply(const Function& f, const Unroll& step, Context& context);

/// Sets an annotation of a loop: an integer.
struct AnnotateLoop {
  LoopRef loop;
  std::string key;
  std::int64_t value = 0;
  static constexpr auto name = "annotate";
  static constexpr auto fields =
      std::tuple(field("loop", &AnnotateLoop::loop), field("ann_key", &AnnotateLoop::key),
                 field("ann_val", &AnnotateLoop::value));
};
Outcome apply(const Function& f, const AnnotateLoop& step, Context& context);

}  // namespace ardea::schedule
