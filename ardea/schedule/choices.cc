#include "ardea/schedule/choices.h"

#include <fmt/core.h>

#include <algorithm>

#include "ardea/arith/analyzer.h"
#include "ardea/ir/print.h"
#include "ardea/schedule/primitives/sample/sample.h"
#include "ardea/schedule/schedule.h"
#include "ardea/support/text.h"

namespace ardea::schedule {

Number ChoicesByHand::chosen(const std::string& name, const NumberRef& number) {
  chosen_.push_back(fmt::format("{} = {}", name, print(number.value)));
  return number;
}

Number ChoicesByHand::number(const std::string& name, std::vector<std::int64_t> values,
                             std::int64_t otherwise) {
  if (std::find(values.begin(), values.end(), otherwise) == values.end()) values.push_back(otherwise);
  SampleCategorical step{.candidates = values, .probs = std::vector<double>(values.size(), 1.0)};
  step.called = name;
  if (!draws_) step.decision = std::find(values.begin(), values.end(), otherwise) - values.begin();
  return chosen(name, steps_.results(step));
}

std::vector<Number> ChoicesByHand::tile(const std::string& name, const LoopRef& loop,
                                        std::int64_t most_innermost,
                                        const std::vector<std::int64_t>& otherwise) {
  SamplePerfectTile step{
      .loop = loop, .n = std::ssize(otherwise), .max_innermost_factor = most_innermost, .called = name};
  if (!draws_) step.decision = std::vector<Number>(otherwise.begin(), otherwise.end());
  std::vector<Number> factors;
  for (const NumberRef& factor : steps_.results(step))
    factors.push_back(chosen(fmt::format("{}_{}", name, factors.size()), factor));
  return factors;
}

std::size_t ChoicesByHand::way(const std::string& question, const std::vector<std::string>& answers,
                               std::size_t otherwise) {
  const std::size_t taken = draws_ ? static_cast<std::size_t>(steps_.draw(answers.size())) : otherwise;
  chosen_.push_back(fmt::format("{} = {}", question, answers.at(taken)));
  return taken;
}

void ChoicesByHand::keep_to(const Expr& condition, const std::string& name, const std::string& reason) {
  if (arith::Analyzer().proves(condition)) return;
  throw Refused(condition_is_broken,
                fmt::format("{}: {} does not hold for {}; `ardea space` finds numbers for which it does, "
                            "--draw SEED others",
                            reason, name, chosen_.empty() ? "these numbers" : join(chosen_, ", ")));
}

}  // namespace ardea::schedule
