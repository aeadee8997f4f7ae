#include "ardea/schedule/config.h"

#include <fmt/core.h>

#include <algorithm>
#include <ranges>
#include <set>

#include "ardea/arith/analyzer.h"
#include "ardea/ir/ceil_div.h"
#include "ardea/ir/print.h"
#include "ardea/schedule/program/refer.h"
#include "ardea/schedule/schedule.h"
#include "ardea/support/text.h"

namespace ardea::schedule {

namespace {

/// More orders, each a space of its own, are made by somebody who knows which are worth it.
constexpr std::size_t most_permuted = 4;

/// What the innermost loop of a split is by default, where that is possible.
constexpr std::int64_t default_innermost = 8;

std::string names_of(const std::vector<LoopRef>& loops) {
  std::vector<std::string> names;
  for (const LoopRef& loop : loops) names.push_back(loop.var.name());
  return join(names, ", ");
}

/// As a number that steps take: plain where it is decided.
Number as_number(const Expr& value) {
  const Expr simple = arith::Analyzer().simplify(value);
  if (const auto number = constant_int(simple)) return *number;
  return NumberRef::fresh(simple);
}

/// The extent as a number; Error of what has none.
std::int64_t extent_of(const Function& program, const std::string& name, const LoopRef& loop) {
  const Result<FoundLoop> found = refer_to_loop(program, loop);
  if (const auto* refusal = std::get_if<Refusal>(&found))
    throw Refused(refusal->code, refusal->message(fmt::format("define_split({})", in_quotes(name))));
  const auto& [path, node, facts] = std::get<FoundLoop>(found);
  const auto extent = constant_int(facts.simplify(node->extent));
  require(extent.has_value(),
          "define_split({}): the extent of loop {} is {}, which is no number; define_knob a factor and split "
          "by it, with None outermost",
          in_quotes(name), loop.var.name(), print(node->extent));
  return *extent;
}

std::int64_t largest_divisor(std::int64_t number, std::int64_t most) {
  std::int64_t largest = 1;
  for (std::int64_t d = 1; d <= std::min(number, most); ++d)
    if (number % d == 0) largest = d;
  return largest;
}

/// Divisors and powers of two: the others pad no better.
std::vector<std::int64_t> padded_candidates(std::int64_t extent, std::int64_t most) {
  std::set<std::int64_t> sizes;
  for (std::int64_t d = 1; d * d <= extent; ++d)
    if (extent % d == 0) sizes.insert({d, extent / d});
  for (std::int64_t size = 1; size < extent; size *= 2) sizes.insert(size);
  std::erase_if(sizes, [&](std::int64_t size) { return size > most; });
  return {sizes.begin(), sizes.end()};
}

}  // namespace

void Config::define(const char* what, const std::string& name) {
  ardea::require(!name.empty(), "{}: it needs a name, by which the space knows it", what);
  ardea::require(names_.insert(name).second, "{}({}): this name is taken; each has one of its own", what,
                 in_quotes(name));
}

std::vector<LoopRef> Config::define_split(const std::string& name, const LoopRef& loop, std::int64_t parts,
                                          const SplitOptions& options) {
  define("define_split", name);
  ardea::require(parts >= 1 && parts <= 12, "define_split({}): it makes {} parts; they are 1 to 12",
                 in_quotes(name), parts);
  const std::int64_t extent = extent_of(steps_.program(), name, loop);
  const std::int64_t most = options.most_innermost.value_or(extent);
  ardea::require(most >= 1, "define_split({}): the innermost loop is at most {}; give at least 1",
                 in_quotes(name), most);
  std::vector<Number>& factors = factors_[name];
  if (options.policy == "factors") {
    std::vector<std::int64_t> otherwise(static_cast<std::size_t>(parts), 1);
    if (parts > 1) otherwise.back() = largest_divisor(extent, std::min(most, default_innermost));
    otherwise.front() = extent / (parts > 1 ? otherwise.back() : 1);
    factors = choices_.tile(name, loop, most, otherwise);
    return steps_.loops(Split{loop, {factors.begin(), factors.end()}});
  }
  ardea::require(options.policy == "padded",
                 "define_split({}): there is no policy {}, only factors and padded{}", in_quotes(name),
                 in_quotes(options.policy), did_you_mean(options.policy, {"factors", "padded"}));
  factors = padded_factors(name, extent, parts, most);
  std::vector<std::optional<Number>> written(factors.begin(), factors.end());
  written.front() = std::nullopt;
  return steps_.loops(Split{loop, written});
}

std::vector<Number> Config::padded_factors(const std::string& name, std::int64_t extent, std::int64_t parts,
                                           std::int64_t most_innermost) {
  std::vector<Number> factors(static_cast<std::size_t>(parts));
  Expr inner = make_int(1);
  for (std::size_t i = factors.size(); i-- > 1;) {
    const bool is_innermost = i + 1 == factors.size();
    const auto values = padded_candidates(extent, is_innermost ? most_innermost : extent);
    factors[i] =
        choices_.number(fmt::format("{}_{}", name, i), values,
                        is_innermost ? std::min({default_innermost, most_innermost, values.back()}) : 1);
    const Expr factor = value_of(factors[i], int64);
    // A part that holds more than there is would run as a smaller one does.
    if (!is_innermost)
      choices_.keep_to(
          (factor - 1) * inner < make_int(extent), fmt::format("{}_{}", name, i),
          fmt::format("{}: a part holds no more than the {} iterations that there are", name, extent));
    inner = arith::Analyzer().simplify(inner * factor);
  }
  factors.front() = as_number(ceil_div(make_int(extent), inner));
  return factors;
}

const std::vector<Number>& Config::factors(const std::string& name) const {
  const auto at = factors_.find(name);
  std::vector<std::string> known;
  for (const auto& [split, numbers] : factors_) known.push_back(split);
  ardea::require(at != factors_.end(), "factors({}): there is no split of that name{}{}", in_quotes(name),
                 known.empty() ? "; define_split makes one" : ", only " + join(known, ", "),
                 did_you_mean(name, known));
  return at->second;
}

Number Config::define_knob(const std::string& name, const std::vector<std::int64_t>& values) {
  define("define_knob", name);
  ardea::require(!values.empty(), "define_knob({}): there are no values; give at least one", in_quotes(name));
  return choices_.number(name, values, values.front());
}

void Config::define_reorder(const std::string& name, const std::vector<LoopRef>& loops,
                            const std::vector<std::vector<LoopRef>>& orders) {
  define("define_reorder", name);
  ardea::require(!loops.empty(), "define_reorder({}): there are no loops", in_quotes(name));
  std::vector<std::vector<LoopRef>> all = orders;
  if (all.empty()) {
    ardea::require(loops.size() <= most_permuted,
                   "define_reorder({}): {} loops have too many orders for all of them; give those to try",
                   in_quotes(name), loops.size());
    std::vector<std::size_t> places(loops.size());
    for (std::size_t i = 0; i < places.size(); ++i) places[i] = i;
    do {
      std::vector<LoopRef>& order = all.emplace_back();
      for (const std::size_t place : places) order.push_back(loops[place]);
    } while (std::next_permutation(places.begin(), places.end()));
  }
  std::vector<std::string> answers;
  for (const std::vector<LoopRef>& order : all) {
    const bool fits = std::is_permutation(order.begin(), order.end(), loops.begin(), loops.end());
    ardea::require(fits, "define_reorder({}): the order {} is none of the loops {}, each once",
                   in_quotes(name), names_of(order), names_of(loops));
    answers.push_back(names_of(order));
  }
  steps_.apply(Reorder{all[choices_.way(name, answers, 0)]});
}

void Config::define_annotate(const std::string& name, const std::vector<LoopRef>& loops,
                             const std::string& policy) {
  define("define_annotate", name);
  ardea::require(!loops.empty(), "define_annotate({}): there are no loops", in_quotes(name));
  const std::vector<std::string> policies = {"unroll", "vectorize", "try_unroll", "try_vectorize",
                                             "try_both"};
  ardea::require(std::find(policies.begin(), policies.end(), policy) != policies.end(),
                 "define_annotate({}): there is no policy {}, only {}{}", in_quotes(name), in_quotes(policy),
                 join(policies, ", "), did_you_mean(policy, policies));
  struct Mark {
    std::optional<LoopRef> loop;
    bool vectorize = false;
  };
  std::vector<Mark> marks;
  std::vector<std::string> answers;
  if (policy.starts_with("try_")) {
    marks.emplace_back();
    answers.emplace_back("none");
  }
  for (const bool vectorize : {false, true}) {
    if (policy.ends_with(vectorize ? "unroll" : "vectorize")) continue;
    for (const LoopRef& loop : std::views::reverse(loops)) {
      marks.push_back({loop, vectorize});
      answers.push_back(fmt::format("{} {}", vectorize ? "vectorize" : "unroll", loop.var.name()));
    }
  }
  const Mark& mark = marks[choices_.way(name, answers, 0)];
  if (!mark.loop) return;
  if (mark.vectorize)
    steps_.apply(Vectorize{*mark.loop});
  else
    steps_.apply(Unroll{*mark.loop});
}

void Config::require(const Condition& condition, const std::string& reason) {
  ardea::require(!reason.empty(), "require({}): it needs a reason in words, for those who break it",
                 condition.text);
  choices_.keep_to(condition.is, condition.text, reason);
}

void Config::require(const Expr& condition, const std::string& reason) {
  require(Condition{condition, print(condition)}, reason);
}

}  // namespace ardea::schedule
