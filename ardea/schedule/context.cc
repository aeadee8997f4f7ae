#include "ardea/schedule/context.h"

#include "ardea/support/random.h"

namespace ardea::schedule {

std::optional<Refusal> ByHand::require(const arith::Analyzer& facts, const Expr& condition,
                                       const Reason& reason) {
  const arith::Proof proof = facts.prove(condition);
  if (proof == arith::Proof::proved) return std::nullopt;
  Refusal refusal = reason();
  if (proof == arith::Proof::refuted) return refusal;
  refusal.fact += " (it is not proved for all sizes)";
  return refusal;
}

bool ByHand::decides(const arith::Analyzer& facts, const Expr& condition) const {
  return facts.proves(condition);
}

std::uint64_t ByHand::draw(std::uint64_t count) {
  Random random(state_);
  const std::uint64_t drawn = random.next();
  state_ = drawn;
  return drawn % count;
}

}  // namespace ardea::schedule
