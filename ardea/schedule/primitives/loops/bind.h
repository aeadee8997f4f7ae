#pragma once

#include "ardea/schedule/primitive.h"

namespace ardea::schedule {

struct Bind {
  LoopRef loop;
  std::string thread_axis;
  using Results = void;
  static constexpr auto name = "bind";
  static constexpr auto fields =
      std::tuple(field("loop", &Bind::loop), field("thread_axis", &Bind::thread_axis));
  static constexpr auto contract = R"(a loop's iterations become threads

thread_axis is blockIdx.x, .y, .z (blocks of threads), threadIdx.x, .y, .z (threads of a block), or vthread and
vthread.x, .y, .z (virtual threads, which one thread runs interleaved).
Requires a serial loop that carries no dependence; memory of a thread's own scope that each iteration writes before it
reads it carries none, and for blocks none of a block's own scope, such as "shared". A reduction over threads of a
block is for blocks that stand alone in the loops that they reduce over, and update their result by one operation that
takes its parts in any order: each thread makes a part, and they combine them. Over blocks it is refused. No loop
around or inside may be bound to the same thread, virtual threads without a name aside; but inside of a loop over
threads of a block one that only fills memory that they share, alike in each iteration of the outer loop, may: they
fill it together. Loops of one launch that are bound to the same threads of a block may have different extents: the
longest says how many threads there are; those bound to the same blocks have one extent. A loop that is bound to that
thread already stays as it is.)";
  static constexpr std::array refusals = {"no_such_thread",       "loop_is_not_serial",
                                          "thread_is_taken",      "extents_differ",
                                          "reduction_by_threads", "loop_carries_dependence"};
};
Outcome apply(const Function& f, const Bind& step, Context& context);

}  // namespace ardea::schedule
