#pragma once

#include "ardea/compile/cuda_program.h"
#include "ardea/measure/bench.h"

namespace ardea::measure {

/// A program of Ardea's on the GPU of this machine.
struct GpuContender {
  std::string name;
  compile::CudaProgram program;
};

struct GpuBenchOptions {
  std::uint64_t seed = 0;
  std::int64_t rounds = 0;  ///< 0: as many as `budget_s` allows, from 6 to 301
  double budget_s = 3;
};

/// `ours` computes the workload. Everybody is checked as on processors, and timed as candidates for a GPU are
/// (gpu_timing.h), graph by graph in rotated order. A peer's call that fails is left out, with its reason.
/// Of a peer with several calls each has turns.
BenchReport bench_on_gpu(const ops::Workload& workload, const compile::CudaProgram& ours,
                         const std::vector<Peer>& peers, const std::vector<GpuContender>& rivals,
                         const GpuBenchOptions& options);

}  // namespace ardea::measure
