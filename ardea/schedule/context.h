#pragma once

#include <optional>

#include "ardea/arith/analyzer.h"
#include "ardea/schedule/outcome.h"

namespace ardea::schedule {

/// Where a step's conditions on numbers are judged. A primitive never compares numbers itself: by hand a
/// condition must be proved; in a template what depends on variables of the space becomes a constraint.
class Context {
 public:
  virtual ~Context() = default;

  /// Nothing where the step may go on, else `refusal`, which says what is wrong when the condition is false.
  virtual std::optional<Refusal> require(const arith::Analyzer& facts, const Expr& condition,
                                         Refusal refusal) = 0;

  /// A number for a sampling step: uniform in [0, count).
  virtual std::uint64_t draw(std::uint64_t count) = 0;
};

/// Every condition is proved, or refused: what is not proved for all sizes is not believed.
class ByHand : public Context {
 public:
  explicit ByHand(std::uint64_t seed = 0) : state_(seed) {}
  std::optional<Refusal> require(const arith::Analyzer& facts, const Expr& condition,
                                 Refusal refusal) override;
  std::uint64_t draw(std::uint64_t count) override;

 private:
  std::uint64_t state_;
};

}  // namespace ardea::schedule
