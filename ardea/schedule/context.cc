#include "ardea/schedule/context.h"

#include "ardea/support/random.h"

namespace ardea::schedule {

std::optional<Refusal> ByHand::require(const arith::Analyzer& facts, const Expr& condition, Refusal refusal) {
  switch (facts.prove(condition)) {
    case arith::Proof::proved: return std::nullopt;
    case arith::Proof::refuted: return refusal;
    case arith::Proof::unknown: break;
  }
  refusal.fact += " (it is not proved for all sizes)";
  return refusal;
}

std::uint64_t ByHand::draw(std::uint64_t count) {
  Random random(state_);
  const std::uint64_t drawn = random.next();
  state_ = drawn;
  return drawn % count;
}

}  // namespace ardea::schedule
