#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "ardea/compile/cuda_program.h"
#include "ardea/runtime/time_evaluator.h"

/// How long a GPU works on a call, without what it takes to launch it, alike for all that is compared.

namespace ardea::measure {

/// Puts one call's work into the stream; `set` counts the calls, so that each may take other arrays.
using Enqueue = std::function<void(std::size_t set, runtime::cuda::Stream stream)>;

/// A stream on which calls are timed, one contender after another or in turns.
class GpuStopwatch {
 public:
  /// Calls in one graph.
  explicit GpuStopwatch(std::int64_t launches = 20);
  ~GpuStopwatch();
  GpuStopwatch(const GpuStopwatch&) = delete;
  GpuStopwatch& operator=(const GpuStopwatch&) = delete;

  /// So many calls as one graph, to be launched again and again. It must not outlive the stopwatch.
  class Graph;
  std::shared_ptr<const Graph> graph_of(const Enqueue& enqueue) const;

  /// From the beginning of a graph to its end; the second cache was filled with other bytes before.
  double graph_s(const Graph& graph) const;
  /// The same of as many empty kernels.
  double empty_graph_s() const;
  /// A call of the graph: its time less that of the last few graphs of empty kernels, of which one more is
  /// timed, divided by the number of calls.
  double call_s(const Graph& graph);
  /// One call outside of any graph, its launch included.
  double single_call_s(const Enqueue& enqueue) const;

  /// Cycles of a multiprocessor in a microsecond, now: it counts some while it is timed.
  double clock_mhz() const;
  /// Launches the graph for so long, and on while the clock still changes, at most five times as long.
  void warm_up(const Graph& graph, double least_s) const;

  std::int64_t launches() const { return launches_; }
  runtime::cuda::Stream stream() const;
  /// Until all is done. Error where any of it failed.
  void wait(const std::string& call) const;

 private:
  struct Parts;
  std::int64_t launches_;
  std::unique_ptr<Parts> parts_;
  std::deque<double> empty_s_;  ///< of the last graphs of empty kernels
};

/// Copies of `arguments` (the host's arrays) on the device, as many as twice the second cache holds, at most
/// one a launch.
std::vector<std::vector<runtime::Value>> argument_sets(std::span<const runtime::Value> arguments,
                                                       std::int64_t launches);

struct GpuTimer {
  std::int64_t launches = 20;  ///< in one graph, each on arrays of its own
  std::int64_t repeat = 11;    ///< graphs that are timed, of which the median counts
  double warmup_s = 0.2;       ///< of the same work before, until clocks are what they stay

  /// Seconds a call: a graph of `launches` calls, less a graph of as many empty kernels, divided by them.
  runtime::Timing operator()(const Enqueue& enqueue) const;

  /// Of a program on argument_sets.
  runtime::Timing operator()(const compile::CudaProgram& program,
                             std::span<const runtime::Value> arguments) const;
};

}  // namespace ardea::measure
