#include "ardea/rules/analysis/channel_sum.h"

#include <algorithm>

#include "ardea/arith/analyzer.h"
#include "ardea/ir/substitute.h"
#include "ardea/schedule/program/tree.h"

namespace ardea::rules {

namespace {

/// What is added to an element, and the condition under which it is; undefined where it always is.
struct ChannelTerm {
  Load left, right;
  Expr condition;
};

std::optional<ChannelTerm> term_of(const Block& block) {
  const auto term = added_term(block);
  if (!term) return std::nullopt;
  const auto [added, condition] = asked_value(*term);
  const auto* product = added.as<Binary>();
  if (product == nullptr || product->op != BinaryOp::mul) return std::nullopt;
  const auto *left = product->left.as<Load>(), *right = product->right.as<Load>();
  if (left == nullptr || right == nullptr) return std::nullopt;
  return ChannelTerm{*left, *right, condition};
}

bool asks_for(const Expr& e, const Var& var) {
  const std::vector<Var> used = free_variables(e);
  return std::find(used.begin(), used.end(), var) != used.end();
}

/// The one dimension of which the variable is the index, where it occurs in no other.
std::optional<std::size_t> only_dimension(const Load& load, const Var& var) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < load.indices.size(); ++i) {
    if (!asks_for(load.indices[i], var)) continue;
    if (found || !load.indices[i].is<VarNode>()) return std::nullopt;
    found = i;
  }
  return found;
}

bool asks_for(const Load& load, const Var& var) {
  return std::any_of(load.indices.begin(), load.indices.end(),
                     [&](const Expr& index) { return asks_for(index, var); });
}

/// By how much each index grows where the variable does; nothing where that is no number.
std::optional<std::vector<std::int64_t>> steps_of(const Load& load, const Var& var, std::int64_t by) {
  arith::Analyzer facts;
  std::vector<std::int64_t> steps;
  for (const Expr& index : load.indices) {
    const auto step = constant_int(facts.simplify(substitute(index, var, var + make_int(by)) - index));
    if (!step) return std::nullopt;
    steps.push_back(*step);
  }
  return steps;
}

/// Longer ones are no tile's.
constexpr std::int64_t longest_period = 4;

void find_period(ChannelSum& sum, const Load& kernel, const Load& data) {
  const Var& place = sum.stage.iterators[sum.row];
  if (!asks_for(kernel, place)) return;
  for (std::int64_t period = 2; period <= longest_period; ++period) {
    const auto far = steps_of(kernel, place, period), near = steps_of(data, place, period);
    if (!far || !near || std::any_of(far->begin(), far->end(), [](std::int64_t step) { return step != 0; }))
      continue;
    if (std::count(near->begin(), near->end(), 0) + 1 != std::ssize(*near) ||
        std::count(near->begin(), near->end(), 1) != 1)
      continue;
    sum.period = period;
    sum.has_data_side_by_side = near->back() == 1;
    return;
  }
}

}  // namespace

std::optional<ChannelSum> channel_sum(const Function& program, const schedule::BlockRef& block) {
  const auto stage = plain_stage(program, block);
  if (!stage || !stage->reduces() || stage->spatial < 2) return std::nullopt;
  const std::vector<Var> elements(stage->iterators.begin(),
                                  stage->iterators.begin() + static_cast<std::ptrdiff_t>(stage->spatial));
  if (!are_plain(stage->indices, elements)) return std::nullopt;
  const auto term = term_of(schedule::path_to(program, block)->block());
  if (!term) return std::nullopt;
  for (std::size_t i = stage->spatial; i-- > 0;) {
    const Var& channel = stage->iterators[i];
    if (term->condition.defined() && asks_for(term->condition, channel)) continue;
    for (const bool is_left : {false, true}) {
      const Load &kernel = is_left ? term->left : term->right, &data = is_left ? term->right : term->left;
      const auto dimension = only_dimension(kernel, channel);
      if (!dimension || asks_for(data, channel)) continue;
      ChannelSum sum{*stage, kernel.buffer, i, *dimension,
                     i + 1 == stage->spatial ? i - 1 : stage->spatial - 1};
      find_period(sum, kernel, data);
      return sum;
    }
  }
  return std::nullopt;
}

}  // namespace ardea::rules
