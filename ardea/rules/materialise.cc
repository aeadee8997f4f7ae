#include <algorithm>

#include "ardea/arith/analyzer.h"
#include "ardea/ir/substitute.h"
#include "ardea/rules/sketch.h"
#include "ardea/schedule/primitives/sample/sample.h"
#include "ardea/support/error.h"

namespace ardea::rules {

namespace {

using schedule::Argument;
using schedule::Instruction;
using schedule::NumberRef;
using schedule::Reference;

/// The steps of a sketch, taken once more with numbers in the place of its variables.
class Replay {
 public:
  Replay(const Sketch& sketch, const space::Point& point)
      : sketch_(sketch),
        schedule_(sketch.program, std::make_unique<schedule::ByHand>(0, schedule::Structure::of_template)) {
    const std::vector<space::Var>& knobs = sketch.system.knobs();
    require(point.size() == sketch.system.variables().size(),
            "{}: the point has {} values, the sketch has {} variables", sketch.program.name, point.size(),
            sketch.system.variables().size());
    for (std::size_t i = 0; i < sketch.knobs.size(); ++i)
      numbers_[sketch.knobs[i].var] = make_int(point[static_cast<std::size_t>(knobs[i].index)]);
  }

  void follow(schedule::Schedule::History past) { schedule_.follow(std::move(past)); }
  schedule::Schedule run() && {
    for (const Instruction& step : sketch_.trace.instructions) take(step);
    return std::move(schedule_);
  }

 private:
  void take(const Instruction& step) {
    std::vector<Argument> arguments;
    for (const Argument& argument : step.arguments) arguments.push_back(placed(argument));
    if (const auto decision = decided(step)) {
      const auto& parameters = step.primitive->parameters;
      for (std::size_t i = 0; i < parameters.size(); ++i)
        if (parameters[i].name == schedule::decision_name) arguments[i] = *decision;
    }
    const std::vector<Reference> results = schedule_.take(*step.primitive, std::move(arguments));
    ensure(results.size() == step.results.size(), "{} gives {} results with numbers, {} with variables",
           step.primitive->name, results.size(), step.results.size());
    for (std::size_t i = 0; i < results.size(); ++i) now_[key_of(step.results[i])] = results[i];
  }

  /// The same argument in the replayed schedule.
  Argument placed(const Argument& argument) const {
    if (const auto* items = std::get_if<std::vector<Argument>>(&argument.value)) {
      std::vector<Argument> all;
      for (const Argument& item : *items) all.push_back(placed(item));
      return {std::move(all)};
    }
    if (const auto* block = std::get_if<schedule::BlockRef>(&argument.value))
      return {now<schedule::BlockRef>(*block)};
    if (const auto* loop = std::get_if<schedule::LoopRef>(&argument.value))
      return {now<schedule::LoopRef>(*loop)};
    if (const auto* number = std::get_if<NumberRef>(&argument.value)) {
      if (const auto at = now_.find(key_of(*number)); at != now_.end())
        return {std::get<NumberRef>(at->second)};
      return {value_of(number->value)};
    }
    return argument;
  }

  /// A reference that no step gave, such as a place outside of all loops, is itself.
  template <class R>
  R now(const R& reference) const {
    const auto at = now_.find(key_of(reference));
    return at == now_.end() ? reference : std::get<R>(at->second);
  }

  /// What a sampling step decides at the point.
  std::optional<Argument> decided(const Instruction& step) const {
    const auto& parameters = step.primitive->parameters;
    const bool is_sample = std::any_of(parameters.begin(), parameters.end(), [](const auto& parameter) {
      return parameter.name == schedule::decision_name;
    });
    if (!is_sample) return std::nullopt;
    std::vector<std::int64_t> values;
    for (const Reference& result : step.results) {
      const auto* number = std::get_if<NumberRef>(&result);
      if (number == nullptr) return std::nullopt;  // a place: as it was decided when the sketch was made
      values.push_back(value_of(number->value));
    }
    if (step.primitive->name != schedule::SampleCategorical::name)
      return schedule::Convert<std::vector<std::int64_t>>::to(values);
    const auto& candidates = std::get<std::vector<Argument>>(step.arguments[0].value);
    for (std::size_t i = 0; i < candidates.size(); ++i)
      if (std::get<std::int64_t>(candidates[i].value) == values.at(0))
        return Argument{static_cast<std::int64_t>(i)};
    fail("{} is no candidate of {}", values.at(0), step.primitive->name);
  }

  std::int64_t value_of(const Expr& e) const {
    const auto value = constant_int(arith::Analyzer().simplify(substitute(e, numbers_)));
    ensure(value.has_value(), "a number of the sketch depends on more than its variables");
    return *value;
  }

  const Sketch& sketch_;
  schedule::Schedule schedule_;
  Substitution numbers_;
  std::unordered_map<std::string, Reference> now_;
};

}  // namespace

schedule::Schedule materialise(const Sketch& sketch, const space::Point& point) {
  return Replay(sketch, point).run();
}

schedule::Schedule materialise(const Sketch& sketch, const space::Point& point,
                               schedule::Schedule::History past) {
  Replay replay(sketch, point);
  replay.follow(std::move(past));
  return std::move(replay).run();
}

}  // namespace ardea::rules
