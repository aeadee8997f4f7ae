#pragma once

#include "ardea/schedule/trace.h"
#include "ardea/stages/schedule.h"
#include "ardea/te/create_prim_func.h"

namespace ardea::stages {

struct Lowered {
  /// The program of blocks. Its loops have the names of their axes: i_outer, i_inner.
  Function function;
  /// What the directives began with: create_prim_func of the arguments.
  Function unscheduled;
  /// The primitives that they were realised by: unscheduled + trace = function, names of loops aside.
  schedule::Trace trace;
};

/// Realises the directives, whatever their order was:
/// - those about the graph in the order of the calls: stages that appear (caches, partial results, with the
///   splits they need), stages that go into their readers;
/// - then each stage from outputs to inputs: its place, then its loops;
/// - then how loops run, again from outputs to inputs: when all loops are there, what their iterations share
///   is known;
/// - then the init of each reduction goes before the outermost reduce loop, where that is legal (else it
///   stays inside, as a condition);
/// - tensor instructions last.
/// Outputs of the schedule that are no arguments are allocated inside where other stages read them, and
/// refused where none does. schedule::Refused, which names the directive, where the engine refuses one.
Lowered lower(const Schedule& s, const std::vector<te::Argument>& arguments,
              const std::string& name = "main");

}  // namespace ardea::stages
