#include "ardea/rules/trace_at.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "ardea/arith/analyzer.h"
#include "ardea/ir/substitute.h"
#include "ardea/schedule/primitives/sample/sample.h"
#include "ardea/support/error.h"

namespace ardea::rules {

namespace {

using schedule::Argument;
using schedule::Instruction;
using schedule::NumberRef;
using schedule::Reference;

/// The numbers of a point in the place of a sketch's variables.
class Numbers {
 public:
  Numbers(const Sketch& sketch, const space::Point& point) {
    const std::vector<space::Var>& knobs = sketch.system.knobs();
    require(point.size() == sketch.system.variables().size(),
            "{}: the point has {} values, the sketch has {} variables", sketch.program.name, point.size(),
            sketch.system.variables().size());
    for (std::size_t i = 0; i < sketch.knobs.size(); ++i)
      numbers_[sketch.knobs[i].var] = make_int(point[static_cast<std::size_t>(knobs[i].index)]);
  }

  Instruction at_point(const Instruction& step) {
    Instruction now{step.primitive, {}, step.results};
    for (const Argument& argument : step.arguments) now.arguments.push_back(placed(argument));
    if (const auto decision = decided(step)) {
      const auto& parameters = step.primitive->parameters;
      for (std::size_t i = 0; i < parameters.size(); ++i)
        if (parameters[i].name == schedule::decision_name) now.arguments[i] = *decision;
    }
    for (const Reference& result : step.results) given_.insert(key_of(result));
    return now;
  }

 private:
  /// What a step gave is referred to; every other number is one.
  Argument placed(const Argument& argument) const {
    if (const auto* items = std::get_if<std::vector<Argument>>(&argument.value)) {
      std::vector<Argument> all;
      for (const Argument& item : *items) all.push_back(placed(item));
      return {std::move(all)};
    }
    const auto* number = std::get_if<NumberRef>(&argument.value);
    if (number == nullptr || given_.contains(key_of(*number))) return argument;
    return {value_of(number->value)};
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

  Substitution numbers_;
  std::unordered_set<std::string> given_;  ///< by key_of
};

}  // namespace

schedule::Trace trace_at(const Sketch& sketch, const space::Point& point) {
  Numbers numbers(sketch, point);
  schedule::Trace trace;
  for (const Instruction& step : sketch.trace.instructions)
    trace.instructions.push_back(numbers.at_point(step));
  return trace;
}

std::string trace_text(const Sketch& sketch, const space::Point& point) {
  return to_json(trace_at(sketch, point)).dump();
}

}  // namespace ardea::rules
