#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ardea/interp/interpreter.h"
#include "ardea/ir/function.h"
#include "ardea/target/target.h"

namespace ardea::measure {

/// What one engine of an accelerator did in a simulated run.
struct SimulatedEngine {
  std::string name;
  double busy_cycles = 0;
  std::int64_t instructions = 0;      ///< tiles moved or computed
  std::int64_t boxes = 0, bytes = 0;  ///< copies, and what they moved
};

/// What a run takes by a model of the machine: nothing is measured, and people are to be told so.
struct SimulatedRun {
  double cycles = 0, seconds = 0;
  std::vector<SimulatedEngine> engines;  ///< that load, compute and store
  std::int64_t host_accesses = 0;        ///< of elements, by what is left to the host: they cost nothing here
};

/// Runs a lowered program for an accelerator on the arguments, in place, by the interpreter: its answers are
/// right or an Error, as ever. The cycles follow from its tensor instructions in the order in which they
/// come: three engines (one that loads, one that computes, one that stores) take theirs one after the other,
/// each as soon as its engine is free and what it touches was written, and read, by those before it. So
/// engines overlap where a program leaves them something to do: virtual threads, and scratchpads that are
/// filled ahead. Tiles that lie as one box are one copy, which waits once for the memory's latency.
///
/// What it leaves out: queues of instructions are endless, loads and stores do not share the bus, the host
/// takes no time. Error where the target is no accelerator, or its record has no cycles or copy rates.
SimulatedRun simulate(const Function& lowered, const target::Target& target,
                      const std::vector<interp::Argument>& arguments);

}  // namespace ardea::measure
