#include "ardea/measure/gpu_bench.h"

#include <algorithm>

#include "ardea/measure/gpu_timing.h"
#include "ardea/measure/inputs.h"
#include "ardea/runtime/cuda/device.h"
#include "ardea/support/error.h"

namespace ardea::measure {

namespace {

/// The arguments of a problem on the GPU, and calls on them.
class GpuBench {
 public:
  GpuBench(const ops::Workload& workload, const GpuBenchOptions& options)
      : options_(options),
        problem_(problem_of(workload, options.seed)),
        expectation_(problem_.meaning, problem_.arguments),
        answered_(problem_.arguments) {
    std::vector<runtime::Value> values;
    for (const interp::Argument& argument : problem_.arguments)
      std::visit([&](const auto& value) { values.emplace_back(value); }, argument);
    sets_ = argument_sets(values, stopwatch_.launches());
    const std::vector<Role> roles = argument_roles(problem_.meaning);
    for (std::size_t i = 0; i < roles.size(); ++i) {
      if (roles[i] == Role::input) continue;
      written_.push_back(i);
      answered_[i] = std::get<runtime::Array>(problem_.arguments[i]).copy();
    }
  }

  void add(Contender contender, const compile::CudaProgram& program) {
    add(std::move(contender), [this, program](std::size_t set, runtime::cuda::Stream stream) {
      program.launch(sets_[set % sets_.size()], stream);
    });
  }

  void add(Contender contender, const PeerCall& call) {
    add(std::move(contender), [this, call](std::size_t set, runtime::cuda::Stream stream) {
      std::vector<void*> pointers;
      for (const runtime::Value& value : sets_[set % sets_.size()])
        pointers.push_back(std::get<runtime::Array>(value.storage()).data());
      pointers.push_back(stream);
      call.run(pointers.data());
    });
  }

  BenchReport run() {
    constexpr std::int64_t most_rounds = 301;
    const auto fewest = static_cast<std::int64_t>(least_values());
    std::vector<std::vector<double>> seconds(entries_.size());
    const double start = runtime::steady_seconds();
    const auto is_enough = [&](std::int64_t rounds) {
      if (options_.rounds > 0) return rounds >= options_.rounds;
      return rounds >= most_rounds ||
             (rounds >= fewest && runtime::steady_seconds() - start >= options_.budget_s);
    };
    BenchReport report;
    report.calls = stopwatch_.launches();
    constexpr double warmup_s = 0.1;
    stopwatch_.warm_up(*entries_[0].graph, warmup_s);
    report.clock_mhz.push_back(stopwatch_.clock_mhz());
    for (; !is_enough(report.rounds); ++report.rounds)
      for (std::size_t turn = 0; turn < entries_.size(); ++turn) {
        const std::size_t who = (static_cast<std::size_t>(report.rounds) + turn) % entries_.size();
        seconds[who].push_back(stopwatch_.call_s(*entries_[who].graph));
      }
    report.clock_mhz.push_back(stopwatch_.clock_mhz());
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      Contender& contender = entries_[i].contender;
      contender.median_s = median(seconds[i]);
      contender.min_s = *std::min_element(seconds[i].begin(), seconds[i].end());
      contender.ratio = median_interval(ratios(seconds[i], seconds[0]));
      report.contenders.push_back(std::move(contender));
    }
    report.best = best_of(report.contenders);
    return report;
  }

 private:
  struct Entry {
    Contender contender;
    std::shared_ptr<const GpuStopwatch::Graph> graph;
  };

  void add(Contender contender, const Enqueue& enqueue) {
    for (const std::size_t i : written_)
      runtime::cuda::copy_to_device(std::get<runtime::Array>(problem_.arguments[i]), on_device(i));
    enqueue(0, stopwatch_.stream());
    stopwatch_.wait(contender.name);
    for (const std::size_t i : written_)
      runtime::cuda::copy_to_host(on_device(i), std::get<runtime::Array>(answered_[i]));
    contender.check = expectation_.compare(answered_);
    entries_.push_back({std::move(contender), stopwatch_.graph_of(enqueue)});
    constexpr double warmup_s = 0.05;
    for (const double start = runtime::steady_seconds(); runtime::steady_seconds() - start < warmup_s;)
      stopwatch_.graph_s(*entries_.back().graph);
  }

  const runtime::Array& on_device(std::size_t argument) const {
    return std::get<runtime::Array>(sets_[0][argument].storage());
  }

  GpuBenchOptions options_;
  Problem problem_;
  Expectation expectation_;
  GpuStopwatch stopwatch_;
  std::vector<interp::Argument> answered_;
  std::vector<std::vector<runtime::Value>> sets_;
  std::vector<std::size_t> written_;
  std::vector<Entry> entries_;
};

}  // namespace

BenchReport bench_on_gpu(const ops::Workload& workload, const compile::CudaProgram& ours,
                         const std::vector<Peer>& peers, const std::vector<GpuContender>& rivals,
                         const GpuBenchOptions& options) {
  GpuBench bench(workload, options);
  bench.add({.name = "ardea"}, ours);
  for (const GpuContender& rival : rivals) bench.add({.name = rival.name, .rival = true}, rival.program);
  std::vector<LeftOut> left_out;
  for (const Peer& peer : peers) {
    const Peer::Offer offer = peer.prepare(workload, 0);
    if (offer.calls.empty()) left_out.push_back({peer.name(), offer.refusal});
    for (const PeerCall& call : offer.calls) {
      try {
        bench.add({.name = peer.name(), .label = call.label(), .kind = peer.kind()}, call);
      } catch (const Error& error) {
        left_out.push_back({peer.name() + (call.label().empty() ? "" : ", " + call.label()), error.what()});
      }
    }
  }
  BenchReport report = bench.run();
  report.left_out = std::move(left_out);
  return report;
}

}  // namespace ardea::measure
