#pragma once

#include <functional>
#include <span>
#include <vector>

#include "ardea/compile/cuda_program.h"
#include "ardea/runtime/time_evaluator.h"

/// How long a GPU works on a call, without what it takes to launch it, alike for all that is compared.

namespace ardea::measure {

struct GpuTimer {
  std::int64_t launches = 20;  ///< in one graph, each on arrays of its own
  std::int64_t repeat = 11;    ///< graphs that are timed, of which the median counts
  double warmup_s = 0.2;       ///< of the same work before, until clocks are what they stay

  /// Puts one call's work into the stream; `set` counts the calls, so that each may take other arrays.
  using Enqueue = std::function<void(std::size_t set, runtime::cuda::Stream stream)>;

  /// Seconds a call: a graph of `launches` calls, less a graph of as many empty kernels, divided by them. The
  /// second cache is filled with other bytes before each graph.
  runtime::Timing operator()(const Enqueue& enqueue) const;

  /// Of a program on copies of `arguments` (the host's arrays), as many as twice the second cache holds, at
  /// most one a launch.
  runtime::Timing operator()(const compile::CudaProgram& program,
                             std::span<const runtime::Value> arguments) const;
};

}  // namespace ardea::measure
