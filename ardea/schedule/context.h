#pragma once

#include <functional>
#include <optional>

#include "ardea/arith/analyzer.h"
#include "ardea/schedule/outcome.h"

namespace ardea::schedule {

/// Where a step's conditions are judged. A primitive never tests a number itself: it asks its context, of
/// which there are two. By hand what is asked must be proved. In a template, whose numbers are variables,
/// what depends on them becomes a constraint (posting.h).
class Context {
 public:
  virtual ~Context() = default;

  /// Made when somebody reads it: a condition that holds costs no sentence.
  using Reason = std::function<Refusal()>;

  /// A condition on numbers that the step needs. Nothing where it may go on, else the reason, which says what
  /// is wrong when the condition is false.
  virtual std::optional<Refusal> require(const arith::Analyzer& facts, const Expr& condition,
                                         const Reason& reason) = 0;

  /// A branch of the step's own form: whether the special one may be taken. The general one must be right in
  /// any case, and simplify to the special one where the condition holds.
  virtual bool decides(const arith::Analyzer& facts, const Expr& condition) const = 0;

  /// The same where the special branch leaves out loops, blocks or results: what exists must not depend on
  /// numbers in a template, nor where it is replayed.
  virtual bool leaves_out(const arith::Analyzer& facts, const Expr& condition) const = 0;

  /// An answer about dependences, coverage or exactness, which are no conditions on numbers: by hand it
  /// stands; in a template what is not proved for all numbers is kept to be decided with some.
  virtual std::optional<Refusal> judge(std::optional<Refusal> answer) = 0;

  /// A number for a sampling step: uniform in [0, count).
  virtual std::uint64_t draw(std::uint64_t count) = 0;
};

/// Which loops, blocks and results a step by hand gives: as few as the numbers need, or those of the template
/// that is replayed.
enum class Structure { least, of_template };

/// Every condition is proved, or refused: what is not proved for all sizes is not believed.
class ByHand : public Context {
 public:
  explicit ByHand(std::uint64_t seed = 0, Structure structure = Structure::least)
      : state_(seed), structure_(structure) {}
  std::optional<Refusal> require(const arith::Analyzer& facts, const Expr& condition,
                                 const Reason& reason) override;
  bool decides(const arith::Analyzer& facts, const Expr& condition) const override;
  bool leaves_out(const arith::Analyzer& facts, const Expr& condition) const override;
  std::optional<Refusal> judge(std::optional<Refusal> answer) override { return answer; }
  std::uint64_t draw(std::uint64_t count) override;

 private:
  std::uint64_t state_;
  Structure structure_;
};

}  // namespace ardea::schedule
