#include "ardea/rules/derivation.h"

#include <fmt/core.h>

#include <algorithm>

#include "ardea/arith/analyzer.h"
#include "ardea/schedule/primitives/find/as_template.h"
#include "ardea/schedule/primitives/sample/sample.h"
#include "ardea/support/error.h"
#include "ardea/support/text.h"

namespace ardea::rules {

using schedule::NumberRef;
using schedule::Posting;

Derivation::Derivation(const Function& program, target::Target target, Wishes wishes)
    : steps_(program), target_(std::move(target)), wishes_(wishes) {
  steps_.apply(schedule::AsTemplate{});
}

Derivation::Derivation(const Function& program, target::Target target, std::vector<std::size_t> ways,
                       schedule::Schedule::History past, Wishes wishes)
    : steps_(program, std::make_unique<Posting>()),
      target_(std::move(target)),
      wishes_(wishes),
      is_sketch_(true),
      asked_(std::move(ways)) {
  steps_.follow(std::move(past));
  steps_.apply(schedule::AsTemplate{});
}

Number Derivation::number(const std::string& name, std::vector<std::int64_t> values, std::int64_t model) {
  values.push_back(model);
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  if (!is_sketch_) return model;
  const std::vector<double> equal(values.size(), 1.0);
  const NumberRef chosen =
      steps_.results(schedule::SampleCategorical{.candidates = values, .probs = equal, .called = name});
  model_[Var(chosen.value).name()] = model;
  return chosen;
}

std::vector<Number> Derivation::tile(const std::string& name, const LoopRef& loop,
                                     std::int64_t most_innermost, const std::vector<std::int64_t>& model) {
  if (!is_sketch_) return {model.begin(), model.end()};
  std::vector<Number> factors;
  for (const NumberRef& factor : steps_.results(schedule::SamplePerfectTile{
           .loop = loop, .n = std::ssize(model), .max_innermost_factor = most_innermost, .called = name})) {
    model_[Var(factor.value).name()] = model[factors.size()];
    factors.emplace_back(factor);
  }
  return factors;
}

Number Derivation::follows(const Expr& value) const {
  const Expr simple = arith::Analyzer().simplify(value);
  if (const auto number = constant_int(simple)) return *number;
  return NumberRef::fresh(simple);
}

void Derivation::keep_to(const Expr& condition, const std::string& name, const std::string& reason) {
  if (is_sketch_) kept_.push_back({arith::Analyzer().simplify(condition), name, reason});
}

std::size_t Derivation::way(const std::string& question, const std::vector<std::string>& answers,
                            std::size_t model) {
  ensure(model < answers.size(), "{}: the model's answer is none of them", question);
  std::size_t taken = model;
  if (is_sketch_ && ways_.size() < asked_.size()) taken = asked_[ways_.size()];
  ensure(taken < answers.size(), "{}: there is no answer {}", question, taken);
  ways_.push_back({question, answers, taken, model});
  return taken;
}

void Derivation::note_rule(const std::string& name) {
  if (std::find(rules_.begin(), rules_.end(), name) == rules_.end()) rules_.push_back(name);
}

bool Derivation::whether(const std::string& question, bool model) {
  return way(question, {"no", "yes"}, model ? 1 : 0) == 1;
}

std::string to_string(const std::vector<Way>& ways) {
  std::vector<std::string> parts;
  for (const Way& way : ways) parts.push_back(fmt::format("{} = {}", way.question, way.answers[way.taken]));
  return parts.empty() ? "the only one" : join(parts, ", ");
}

Expr value_of(const Number& number) { return schedule::value_of(number, int64); }

}  // namespace ardea::rules
