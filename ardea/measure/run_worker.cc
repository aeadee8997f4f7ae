#include <algorithm>
#include <nlohmann/json.hpp>

#include "ardea/compile/compile.h"
#include "ardea/ir/parse.h"
#include "ardea/measure/array_places.h"
#include "ardea/measure/canary.h"
#include "ardea/measure/check.h"
#include "ardea/measure/inputs.h"
#include "ardea/measure/judgement.h"
#include "ardea/measure/packed_weights.h"
#include "ardea/measure/timed_call.h"
#include "ardea/measure/worker_kinds.h"
#include "ardea/support/error.h"
#include "ardea/support/text_file.h"

namespace ardea::measure {

namespace {

using nlohmann::json;

/// Six rounds of a long call take as long as many candidates.
constexpr double longest_in_turns = 0.25;

/// A call, and whether others had the processor meanwhile.
struct FirstCall {
  double seconds = 0;
  bool disturbed = false;
};

/// Whether the first call tells all that need be known. It meets cold caches and new pages, beside which a
/// long call is long.
bool is_out(const FirstCall& first, const std::optional<CallTime>& incumbent) {
  constexpr double long_s = 20e-3, clear = 2, clear_if_disturbed = 4;
  return incumbent && first.seconds >= long_s &&
         first.seconds > (first.disturbed ? clear_if_disturbed : clear) * incumbent->high_s;
}

/// The arguments of a task, what they must become, and programs that run on them.
class RunWorker {
 public:
  explicit RunWorker(const ReceivedTask& received)
      : task_(received.task),
        given_(make_arguments(task_.program, {.seed = task_.seed, .sizes = task_.sizes})),
        expectation_(Expectation::load(reference_folder(received.folder))) {
    const std::vector<Role> roles = argument_roles(task_.program);
    for (std::size_t i = 0; i < roles.size(); ++i) {
      if (!task_.program.parameters[i].buffer.defined() || roles[i] == Role::input) continue;
      written_.push_back(i);
      if (roles[i] != Role::output) changed_in_place_.push_back(i);
    }
    places_ = in_several_places(task_.program, given_, written_);
  }

  json answer(const json& request) {
    if (request.contains("duel")) return duel(request);
    const PlacedCalls calls = loaded(request.at("object"));
    const runtime::PreparedCall& call = calls.front();
    const FirstCall first = check(call);
    TimedCallOptions options{.race = {.precision = request.at("precision"), .most_s = request.at("timing_s")},
                             .interruptions = involuntary_switches};
    if (!request.at("incumbent").is_null()) options.incumbent = time_from_json(request["incumbent"]);
    if (!changed_in_place_.empty()) options.restore = [&] { restore(changed_in_place_, 0); };
    const TimedCall timed =
        is_out(first, options.incumbent)
            ? TimedCall{.time = {first.seconds, first.seconds, first.seconds}, .raced = true}
            : time_call(turn_of(call), options);
    json answer = {{"time", time_to_json(timed.time)}, {"raced", timed.raced}};
    if (options.incumbent && request.contains("rival") && is_near_incumbent(timed.time, *options.incumbent) &&
        timed.time.median_s <= longest_in_turns * options.race.most_s)
      answer.update(against_incumbent(calls, request));
    const CanaryReading canary = read_canary();
    answer["canary"] = {canary.arithmetic_s, canary.memory_s};
    return answer;
  }

 private:
  /// One program on the arguments in each of their places.
  using PlacedCalls = std::vector<runtime::PreparedCall>;

  PlacedCalls loaded(const std::string& object) const {
    const std::string& name = task_.program.name;
    PlacedCalls calls;
    if (task_.prepacked.empty()) {
      const runtime::Module module = compile::load_object(read_text_file(object), {name}, task_.target);
      for (const auto& arguments : places_)
        calls.emplace_back(module.get_function(name), values_of(arguments));
      return calls;
    }
    // Each schedule has a packing of its own: what it makes of the weights lives as long as the call.
    const Function pack = parse_function(read_text_file(packing_beside(object)));
    const runtime::Module module =
        compile::load_object(read_text_file(object), {name, pack.name}, task_.target);
    const auto packs = [&](const std::vector<interp::Argument>& arguments) {
      runtime::PreparedCall(module.get_function(pack.name), values_of(arguments)).run();
    };
    const auto packed = with_packed({weights_place(), pack, packs}, places_[0]);
    for (auto arguments : places_) {
      arguments[weights_place()] = packed[weights_place()];
      calls.emplace_back(module.get_function(name), values_of(arguments));
    }
    return calls;
  }

  std::size_t weights_place() const {
    const auto& all = task_.program.parameters;
    const auto at = std::find_if(all.begin(), all.end(), [&](const Parameter& p) {
      return p.buffer.defined() && p.buffer->name == task_.prepacked;
    });
    require(at != all.end(), "{} has no parameter {} to pack", task_.program.name, task_.prepacked);
    return static_cast<std::size_t>(at - all.begin());
  }

  static std::vector<runtime::Value> values_of(const std::vector<interp::Argument>& arguments) {
    std::vector<runtime::Value> values;
    for (const interp::Argument& argument : arguments)
      std::visit([&](const auto& value) { values.emplace_back(value); }, argument);
    return values;
  }

  static Turn turn_of(const runtime::PreparedCall& call) {
    return [&call](std::int64_t calls) {
      for (std::int64_t i = 0; i < calls; ++i) call.run();
    };
  }

  void restore(const std::vector<std::size_t>& arguments, std::size_t place) const {
    for (const std::size_t i : arguments)
      std::get<runtime::Array>(places_[place][i]).copy_from(std::get<runtime::Array>(given_[i]));
  }

  /// Turn by turn with the incumbent: which of two is the faster one does not depend on what else the machine
  /// did when each was timed by itself.
  json against_incumbent(const PlacedCalls& calls, const json& request) {
    const std::string& object = request.at("rival").get_ref<const std::string&>();
    if (!rival_ || rival_->first != object) rival_.emplace(object, loaded(object));
    const Rotation rotation = rotated({&calls, &rival_->second}, 0.5 * request.at("timing_s").get<double>());
    return {{"ratio", time_to_json(call_time(ratios(rotation.seconds[0], rotation.seconds[1])))},
            {"rival_time", time_to_json(call_time(rotation.seconds[1]))}};
  }

  /// After each has begun a round, the arrays lie elsewhere.
  Rotation rotated(const std::vector<const PlacedCalls*>& contenders, double seconds) const {
    std::size_t place = 0;
    std::vector<Turn> turns;
    for (const PlacedCalls* calls : contenders)
      turns.emplace_back([this, calls, &place](std::int64_t number) {
        if (!changed_in_place_.empty()) restore(changed_in_place_, place);
        turn_of(calls->at(place))(number);
      });
    const auto move = [&](std::int64_t round) {
      place = static_cast<std::size_t>(round) / contenders.size() % array_places;
    };
    return rotate(turns, {.budget_s = seconds, .begin_round = move});
  }

  /// One call on outputs that hold a poison, and arguments as they were given.
  FirstCall check(const runtime::PreparedCall& call) const {
    restore(written_, 0);
    const std::int64_t switches = involuntary_switches();
    const double start = runtime::steady_seconds();
    call.run();
    const double seconds = runtime::steady_seconds() - start;
    const bool disturbed = involuntary_switches() != switches;
    require_right(expectation_.compare(places_[0]));
    return {seconds, disturbed};
  }

  json duel(const json& request) const {
    std::vector<PlacedCalls> all;
    for (const json& object : request.at("duel")) {
      all.push_back(loaded(object));
      check(all.back().front());
    }
    std::vector<const PlacedCalls*> contenders;
    for (const PlacedCalls& calls : all) contenders.push_back(&calls);
    const Rotation rotation = rotated(contenders, request.at("seconds"));
    json duelists = json::array();
    for (const std::vector<double>& seconds : rotation.seconds) {
      duelists.push_back({{"time", time_to_json(call_time(seconds))},
                          {"ratio", time_to_json(call_time(ratios(seconds, rotation.seconds[0])))}});
    }
    return {{"duel", duelists}};
  }

  TrialTask task_;
  std::vector<interp::Argument> given_;
  Expectation expectation_;
  std::vector<std::vector<interp::Argument>>
      places_;  ///< what programs run on; checks and trials on the first
  std::vector<std::size_t> written_, changed_in_place_;
  std::optional<std::pair<std::string, PlacedCalls>> rival_;  ///< the incumbent, by its file
};

}  // namespace

Answer run_worker(const ReceivedTask& received) {
  if (received.task.target.kind == target::Kind::cuda) return gpu_run_worker(received);
  return [worker = std::make_shared<RunWorker>(received)](const json& request) {
    return worker->answer(request);
  };
}

}  // namespace ardea::measure
