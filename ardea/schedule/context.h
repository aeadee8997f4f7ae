#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "ardea/arith/analyzer.h"
#include "ardea/schedule/outcome.h"

namespace ardea::schedule {

/// Which loops, blocks and results a step gives: as few as the numbers need, or what a template has for all
/// of them, so that what exists depends on no number. Loops of one iteration and conditions that hold vanish
/// in lowering.
enum class Structure { least, of_template };

/// Where a step's conditions are judged. A primitive never tests a number itself: it asks its context, of
/// which there are two. By hand what is asked must be proved. In a template, whose numbers are variables,
/// what depends on them becomes a constraint (posting.h).
class Context {
 public:
  virtual ~Context() = default;
  virtual std::unique_ptr<Context> clone() const = 0;

  /// Made when somebody reads it: a condition that holds costs no sentence.
  using Reason = std::function<Refusal()>;

  /// A condition on numbers that the step needs. Nothing where it may go on, else the reason, which says what
  /// is wrong when the condition is false.
  virtual std::optional<Refusal> require(const arith::Analyzer& facts, const Expr& condition,
                                         const Reason& reason) = 0;

  /// A branch of the step's own form: whether the special one may be taken. The general one must be right in
  /// any case, and simplify to the special one where the condition holds.
  virtual bool decides(const arith::Analyzer& facts, const Expr& condition) const = 0;

  virtual Structure structure() const = 0;
  /// From now on.
  virtual void keep_template_structure() = 0;
  /// Whether loops, blocks or results that are not needed where the condition holds are left out.
  bool leaves_out(const arith::Analyzer& facts, const Expr& condition) const {
    return structure() == Structure::least && decides(facts, condition);
  }
  /// Whether loops of one iteration are.
  bool keeps_unit_loops() const { return structure() == Structure::of_template; }

  /// An answer about dependences, coverage or exactness, which are no conditions on numbers: by hand it
  /// stands; in a template what is not proved for all numbers is kept to be decided with some.
  virtual std::optional<Refusal> judge(std::optional<Refusal> answer) = 0;

  /// A number that a sampling step leaves open, one of `values`: in a template a variable of it, called as
  /// asked or nearly so. Nothing by hand, where it is drawn.
  virtual std::optional<Var> variable(const std::string& name, const std::vector<std::int64_t>& values) = 0;
  /// A number for a sampling step: uniform in [0, count).
  virtual std::uint64_t draw(std::uint64_t count) = 0;

  /// The program that the step made, with what later steps may count on.
  virtual Function assumed(Function program) const { return program; }
};

/// Every condition is proved, or refused: what is not proved for all sizes is not believed. A template is
/// replayed with its own structure.
class ByHand : public Context {
 public:
  explicit ByHand(std::uint64_t seed = 0, Structure structure = Structure::least)
      : state_(seed), structure_(structure) {}
  std::unique_ptr<Context> clone() const override { return std::make_unique<ByHand>(*this); }
  std::optional<Refusal> require(const arith::Analyzer& facts, const Expr& condition,
                                 const Reason& reason) override;
  bool decides(const arith::Analyzer& facts, const Expr& condition) const override;
  Structure structure() const override { return structure_; }
  void keep_template_structure() override { structure_ = Structure::of_template; }
  std::optional<Refusal> judge(std::optional<Refusal> answer) override { return answer; }
  std::optional<Var> variable(const std::string&, const std::vector<std::int64_t>&) override { return {}; }
  std::uint64_t draw(std::uint64_t count) override;

 private:
  std::uint64_t state_;
  Structure structure_;
};

}  // namespace ardea::schedule
