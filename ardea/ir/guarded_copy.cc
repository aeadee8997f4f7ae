#include "ardea/ir/guarded_copy.h"

#include <cmath>

#include "ardea/ir/intrinsics.h"

namespace ardea {

namespace {

bool is_zero_in_all_lanes(const Expr& e) {
  if (const auto* lanes = e.as<Broadcast>()) return is_zero_in_all_lanes(lanes->value);
  if (const auto* number = e.as<FloatImm>()) return number->value == 0 && !std::signbit(number->value);
  return is_zero(e);
}

}  // namespace

std::optional<GuardedCopy> guarded_copy(const Expr& value) {
  if (const auto* load = value.as<Load>()) return GuardedCopy{load};
  const auto* call = value.as<Call>();
  if (call == nullptr || call->op->name != "if_then_else" || !call->arguments[0].type().is_scalar() ||
      !is_zero_in_all_lanes(call->arguments[2]))
    return std::nullopt;
  auto inner = guarded_copy(call->arguments[1]);
  if (!inner) return std::nullopt;
  // The inner condition is asked only where the outer one holds: it may read what else is not there.
  inner->condition =
      inner->condition.defined() ? logical_and(call->arguments[0], inner->condition) : call->arguments[0];
  return inner;
}

}  // namespace ardea
