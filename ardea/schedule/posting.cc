#include "ardea/schedule/posting.h"

#include <fmt/core.h>

#include <algorithm>

#include "ardea/arith/regions_conditions.h"
#include "ardea/ir/equal.h"
#include "ardea/ir/print.h"
#include "ardea/ir/substitute.h"

namespace ardea::schedule {

bool Posting::is_about_variables(const Expr& e) const {
  const std::vector<Var> free = free_variables(e);
  return std::all_of(free.begin(), free.end(), [&](const Var& var) { return variables_.contains(var); });
}

std::optional<Expr> Posting::without_loops(const arith::Analyzer& facts, const Expr& p) const {
  std::vector<Var> others;
  for (const Var& var : free_variables(p))
    if (!variables_.contains(var)) others.push_back(var);
  const Expr low = facts.bounds(p, others).low;
  if (!low.defined() || !is_about_variables(low)) return std::nullopt;
  return low >= make_const(0, low.type());
}

namespace {

/// The factors of a product of variables; nothing where it is not one.
std::optional<std::vector<Var>> factors_of(const Expr& e) {
  if (e.is<VarNode>()) return std::vector<Var>{Var(e)};
  const auto* product = e.as<Binary>();
  if (product == nullptr || product->op != BinaryOp::mul) return std::nullopt;
  auto left = factors_of(product->left);
  const auto right = factors_of(product->right);
  if (!left || !right) return std::nullopt;
  left->insert(left->end(), right->begin(), right->end());
  return left;
}

}  // namespace

bool Posting::follows_from_a_product(const arith::Analyzer& known, const Expr& part) const {
  const auto* bound = part.as<Binary>();
  if (bound == nullptr || bound->op != BinaryOp::le) return false;
  const auto limit = constant_int(bound->right);
  const auto wanted = factors_of(bound->left);
  if (!limit || !wanted) return false;
  return std::any_of(posted_.begin(), posted_.end(), [&](const Posted& posted) {
    const auto* equation = posted.condition.as<Binary>();
    if (equation == nullptr || equation->op != BinaryOp::eq) return false;
    const auto value = constant_int(equation->right);
    auto all = factors_of(equation->left);
    if (!value || *value > *limit || !all) return false;
    const bool are_positive = std::all_of(
        all->begin(), all->end(), [&](const Var& factor) { return known.proves(factor >= make_int(1)); });
    for (const Var& factor : *wanted) {
      const auto at = std::find(all->begin(), all->end(), factor);
      if (at == all->end()) return false;
      all->erase(at);
    }
    return are_positive;
  });
}

std::optional<Refusal> Posting::require(const arith::Analyzer& facts, const Expr& condition,
                                        const Reason& reason) {
  arith::Analyzer known = facts;
  for (const Expr& earlier : this->known()) known.assume(earlier);
  for (const Expr& part : arith::conjuncts(condition)) {
    const arith::Proof proof = known.prove(part);
    if (proof == arith::Proof::proved || follows_from_a_product(known, part)) continue;
    Refusal refusal = reason();
    if (proof == arith::Proof::refuted) return refusal;
    std::vector<Expr> sufficient;
    if (is_about_variables(part)) {
      sufficient.push_back(known.simplify(part));
    } else {
      for (const Expr& p : arith::nonnegative_parts(part))
        if (const auto free = without_loops(known, p)) sufficient.push_back(known.simplify(*free));
      if (sufficient.empty() || sufficient.size() != arith::nonnegative_parts(part).size()) {
        refusal.fact += fmt::format(" ({} is no condition on the variables of the template)", print(part));
        return refusal;
      }
    }
    for (const Expr& now : sufficient) {
      if (known.proves(now)) continue;
      posted_.push_back({now, refusal.code, refusal.fact});
      known.assume(now);
    }
  }
  return std::nullopt;
}

bool Posting::decides(const arith::Analyzer& facts, const Expr& condition) const {
  arith::Analyzer with_posted = facts;
  for (const Expr& earlier : known()) with_posted.assume(earlier);
  return with_posted.proves(condition);
}

std::optional<Refusal> Posting::judge(std::optional<Refusal> answer) {
  if (answer) deferred_.push_back(*std::move(answer));
  return std::nullopt;
}

std::uint64_t Posting::draw(std::uint64_t) {
  throw Error("a template draws no numbers: give the step variables in the place of a sample");
}

std::optional<Var> Posting::variable(const std::string& name, const std::vector<std::int64_t>& values) {
  const auto is_taken = [&](const std::string& candidate) {
    return std::any_of(variables_.begin(), variables_.end(),
                       [&](const Var& var) { return var.name() == candidate; });
  };
  std::string own = name;
  for (int i = 1; is_taken(own); ++i) own = fmt::format("{}_{}", name, i);
  Knob knob{Var(own), values};
  std::sort(knob.values.begin(), knob.values.end());
  knob.values.erase(std::unique(knob.values.begin(), knob.values.end()), knob.values.end());
  ensure(!knob.values.empty(), "the variable {} has no values", own);
  variables_.insert(knob.var);
  knobs_.push_back(std::move(knob));
  return knobs_.back().var;
}

std::vector<Expr> Posting::known() const {
  std::vector<Expr> all;
  for (const Knob& knob : knobs_) {
    all.push_back(knob.var >= make_int(knob.values.front()));
    all.push_back(knob.var <= make_int(knob.values.back()));
  }
  for (const Posted& posted : posted_) all.push_back(posted.condition);
  return all;
}

Function Posting::assumed(Function program) const {
  for (const Knob& knob : knobs_) {
    const bool is_new = std::none_of(program.parameters.begin(), program.parameters.end(),
                                     [&](const ardea::Parameter& p) { return p.var == knob.var; });
    if (is_new) program.parameters.push_back({knob.var});
  }
  for (const Expr& condition : known()) {
    const bool is_new = std::none_of(program.assumptions.begin(), program.assumptions.end(),
                                     [&](const Expr& other) { return structurally_equal(other, condition); });
    if (is_new) program.assumptions.push_back(condition);
  }
  return program;
}

}  // namespace ardea::schedule
