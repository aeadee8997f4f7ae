#pragma once

#include <unordered_set>

#include "ardea/schedule/context.h"

namespace ardea::schedule {

/// A condition on the variables of a template, and why it must hold.
struct Posted {
  Expr condition;
  std::string code, fact;  ///< of the refusal where it does not
};

/// A number that a sampling step left open.
struct Knob {
  Var var;
  std::vector<std::int64_t> values;  ///< rising, each once
};

/// Steps whose numbers are variables: scalar parameters of the program, those that it has and those that
/// sampling steps add. What is proved for all their values is dropped, what is refuted refuses the step, what
/// depends on them is posted and assumed from then on. Which loops, blocks and results exist depends on no
/// number.
class Posting : public Context {
 public:
  explicit Posting(const std::vector<Var>& variables = {}) : variables_(variables.begin(), variables.end()) {}
  std::unique_ptr<Context> clone() const override { return std::make_unique<Posting>(*this); }

  /// A condition over loops first loses them by their bounds: what is posted is then sufficient, and may be
  /// more than what is needed. Refused where the bounds do not say it of the variables alone.
  std::optional<Refusal> require(const arith::Analyzer& facts, const Expr& condition,
                                 const Reason& reason) override;
  bool decides(const arith::Analyzer& facts, const Expr& condition) const override;
  Structure structure() const override { return Structure::of_template; }
  void keep_template_structure() override {}
  std::optional<Refusal> judge(std::optional<Refusal> answer) override;
  std::optional<Var> variable(const std::string& name, const std::vector<std::int64_t>& values) override;
  /// Error: what a template does not decide is a variable of it.
  std::uint64_t draw(std::uint64_t count) override;
  Function assumed(Function program) const override;

  const std::vector<Knob>& knobs() const { return knobs_; }

  const std::vector<Posted>& posted() const { return posted_; }
  /// What was not proved for all numbers: to be decided with some.
  const std::vector<Refusal>& deferred() const { return deferred_; }

 private:
  bool is_about_variables(const Expr& e) const;
  /// Whether part, p <= c, follows from a product that was posted, p · q == d with d <= c and positive
  /// factors: then p <= p · q.
  bool follows_from_a_product(const arith::Analyzer& known, const Expr& part) const;
  /// What knobs may be, and what was posted.
  std::vector<Expr> known() const;
  /// Conditions on the variables alone that together make p >= 0 true; nothing where there are none.
  std::optional<Expr> without_loops(const arith::Analyzer& facts, const Expr& p) const;

  std::unordered_set<Var> variables_;
  std::vector<Knob> knobs_;
  std::vector<Posted> posted_;
  std::vector<Refusal> deferred_;
};

}  // namespace ardea::schedule
