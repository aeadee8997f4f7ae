#include <algorithm>
#include <nlohmann/json.hpp>

#include "ardea/compile/cuda_code_file.h"
#include "ardea/measure/gpu_timing.h"
#include "ardea/measure/inputs.h"
#include "ardea/measure/judgement.h"
#include "ardea/measure/race.h"
#include "ardea/measure/statistics.h"
#include "ardea/measure/worker_kinds.h"
#include "ardea/runtime/cuda/device.h"
#include "ardea/support/error.h"

namespace ardea::measure {

namespace {

using nlohmann::json;

/// Of a candidate's own graphs, before it is timed: the GPU may have rested while candidates were compiled.
constexpr double candidate_warmup_s = 5e-3;

/// Whether one call tells all that need be known. A shorter one ends with its launch.
bool is_out_by_one_call(double single_s, const std::optional<CallTime>& incumbent) {
  constexpr double long_s = 200e-6, clear = 2;
  return incumbent && single_s >= long_s && single_s > clear * incumbent->high_s;
}

/// The arguments of a task on the GPU, what they must become, and programs that run on them. Whatever the
/// driver complains of is an Error, after which this process is not used any more: a fault of a kernel is one
/// of its context, too.
class GpuRunWorker {
 public:
  explicit GpuRunWorker(const ReceivedTask& received)
      : task_(received.task), expectation_(Expectation::load(reference_folder(received.folder))) {
    require(task_.prepacked.empty(), "{}: weights are not packed ahead on {}", task_.program.name,
            task_.target.name);
    compile::require_gpu_runs(task_.target);
    given_ = make_arguments(task_.program, {.seed = task_.seed, .sizes = task_.sizes});
    answered_ = given_;
    std::vector<runtime::Value> values;
    for (const interp::Argument& argument : given_)
      std::visit([&](const auto& value) { values.emplace_back(value); }, argument);
    sets_ = argument_sets(values, stopwatch_.launches());
    const std::vector<Role> roles = argument_roles(task_.program);
    for (std::size_t i = 0; i < roles.size(); ++i) {
      if (!task_.program.parameters[i].buffer.defined() || roles[i] == Role::input) continue;
      answered_[i] = host_array(i).copy();
      written_.push_back(i);
      if (roles[i] != Role::output) changed_in_place_.push_back(i);
    }
  }

  json answer(const json& request) {
    if (request.contains("duel")) return duel(request);
    Candidate candidate = loaded(request.at("object"));
    check(candidate);
    std::optional<CallTime> incumbent;
    if (!request.at("incumbent").is_null()) incumbent = time_from_json(request["incumbent"]);
    const double single_s = stopwatch_.single_call_s(enqueue(candidate));
    if (is_out_by_one_call(single_s, incumbent))
      return {{"time", time_to_json({single_s, single_s, single_s})},
              {"raced", true},
              {"clock_mhz", stopwatch_.clock_mhz()}};
    make_ready(candidate);
    const RaceOptions options{.precision = request.at("precision"), .most_s = request.at("timing_s")};
    Race race(options, incumbent);
    Race::Next next = Race::Next::again;
    while (next == Race::Next::again) {
      const double start = runtime::steady_seconds();
      const double call_s = sample(candidate);
      next = race.add(call_s, runtime::steady_seconds() - start);
    }
    json answer = {{"time", time_to_json(race.time())},
                   {"raced", next == Race::Next::slower},
                   {"clock_mhz", stopwatch_.clock_mhz()}};
    if (incumbent && request.contains("rival") && is_near_incumbent(race.time(), *incumbent))
      answer.update(against_incumbent(candidate, request.at("rival"), options.most_s));
    return answer;
  }

 private:
  struct Candidate {
    compile::CudaProgram program;
    std::shared_ptr<const GpuStopwatch::Graph> graph = {};
  };

  Candidate loaded(const std::string& file) const {
    return {compile::CudaProgram(compile::read_cuda_code(file), task_.target)};
  }

  Enqueue enqueue(const Candidate& candidate) const {
    return [this, &candidate](std::size_t set, runtime::cuda::Stream stream) {
      candidate.program.launch(sets_[set % sets_.size()], stream);
    };
  }

  const runtime::Array& host_array(std::size_t argument) const {
    return std::get<runtime::Array>(given_[argument]);
  }
  const runtime::Array& device_array(std::size_t set, std::size_t argument) const {
    return std::get<runtime::Array>(sets_[set][argument].storage());
  }

  /// One call on outputs that hold a poison, and arguments as they were given.
  void check(const Candidate& candidate) const {
    for (const std::size_t i : written_) runtime::cuda::copy_to_device(host_array(i), device_array(0, i));
    candidate.program.launch(sets_[0], stopwatch_.stream());
    stopwatch_.wait(task_.program.name);
    for (const std::size_t i : written_)
      runtime::cuda::copy_to_host(device_array(0, i), std::get<runtime::Array>(answered_[i]));
    require_right(expectation_.compare(answered_));
  }

  void make_ready(Candidate& candidate) const {
    candidate.graph = stopwatch_.graph_of(enqueue(candidate));
    const double start = runtime::steady_seconds();
    do stopwatch_.graph_s(*candidate.graph);
    while (runtime::steady_seconds() - start < candidate_warmup_s);
  }

  double sample(const Candidate& candidate) {
    for (const std::size_t i : changed_in_place_)
      for (std::size_t set = 0; set < sets_.size(); ++set)
        runtime::cuda::copy_to_device(host_array(i), device_array(set, i));
    return stopwatch_.call_s(*candidate.graph);
  }

  /// Graph by graph in turns, each first equally often. By contender and round: seconds of a call.
  std::vector<std::vector<double>> rotated(const std::vector<const Candidate*>& contenders, double budget_s) {
    constexpr std::size_t most_rounds = 301;
    const auto fewest_rounds = static_cast<std::size_t>(least_values());
    std::vector<std::vector<double>> seconds(contenders.size());
    const double start = runtime::steady_seconds();
    for (std::size_t round = 0; round < most_rounds; ++round) {
      if (round >= fewest_rounds && runtime::steady_seconds() - start >= budget_s) break;
      for (std::size_t turn = 0; turn < contenders.size(); ++turn) {
        const std::size_t who = (round + turn) % contenders.size();
        seconds[who].push_back(sample(*contenders[who]));
      }
    }
    return seconds;
  }

  /// What is the faster one of two does not depend on the clock that the GPU had when each was timed.
  json against_incumbent(const Candidate& candidate, const std::string& file, double timing_s) {
    if (!rival_ || rival_->first != file) {
      rival_.emplace(file, loaded(file));
      make_ready(rival_->second);
    }
    const auto seconds = rotated({&candidate, &rival_->second}, 0.5 * timing_s);
    return {{"ratio", time_to_json(call_time(ratios(seconds[0], seconds[1])))},
            {"rival_time", time_to_json(call_time(seconds[1]))}};
  }

  json duel(const json& request) {
    std::vector<Candidate> candidates;
    for (const json& file : request.at("duel")) {
      candidates.push_back(loaded(file));
      check(candidates.back());
    }
    std::vector<const Candidate*> contenders;
    for (Candidate& candidate : candidates) {
      make_ready(candidate);
      contenders.push_back(&candidate);
    }
    const auto seconds = rotated(contenders, request.at("seconds"));
    json duelists = json::array();
    for (const std::vector<double>& own : seconds)
      duelists.push_back({{"time", time_to_json(call_time(own))},
                          {"ratio", time_to_json(call_time(ratios(own, seconds[0])))}});
    return {{"duel", duelists}, {"clock_mhz", stopwatch_.clock_mhz()}};
  }

  TrialTask task_;
  Expectation expectation_;
  GpuStopwatch stopwatch_;
  std::vector<interp::Argument> given_, answered_;  ///< the host's; of the latter, what a call has written
  std::vector<std::vector<runtime::Value>> sets_;   ///< the device's: a call takes one, the next call another
  std::vector<std::size_t> written_, changed_in_place_;
  std::optional<std::pair<std::string, Candidate>> rival_;  ///< the incumbent, by its file
};

}  // namespace

Answer gpu_run_worker(const ReceivedTask& received) {
  return [worker = std::make_shared<GpuRunWorker>(received)](const json& request) {
    return worker->answer(request);
  };
}

}  // namespace ardea::measure
