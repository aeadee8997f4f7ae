#include "ardea/lower/movable.h"

#include "ardea/ir/intrinsics.h"
#include "ardea/ir/traverse.h"

namespace ardea::lower {

Movable::Movable(const Function& f) {
  // A symbolic stride may be 0.
  for (const Parameter& p : f.parameters)
    if (p.buffer.defined())
      for (const Expr& extent : p.buffer->shape)
        if (extent.is<VarNode>()) positive_.insert(Var(extent));
}

bool Movable::anywhere(const Expr& e) {
  if (e.is<VarNode>() || e.is<IntImm>() || e.is<FloatImm>()) return true;
  if (const bool* known = known_.find(e)) return *known;
  bool result = with_its_parts(e);
  for_each_child(e, [&](const Expr& part) { result = result && anywhere(part); });
  known_.insert(e, result);
  return result;
}

bool Movable::with_its_parts(const Expr& e) const {
  if (e.is<Load>() || e.is<StringImm>()) return false;
  if (const auto* call = e.as<Call>();
      call != nullptr && (call->op->effect != Effect::pure || call->op->name == "address_of"))
    return false;
  return !is_integer_division(e) || is_not_zero(e.as<Binary>()->right);
}

bool Movable::is_not_zero(const Expr& divisor) const {
  if (const auto* cast = divisor.as<Cast>();
      cast != nullptr && divisor.type().is_integer() && divisor.type().bits >= cast->value.type().bits)
    return is_not_zero(cast->value);
  if (const auto* broadcast = divisor.as<Broadcast>()) return is_not_zero(broadcast->value);
  if (const auto value = constant_int(divisor)) return *value != 0;
  return divisor.is<VarNode>() && positive_.contains(Var(divisor));
}

}  // namespace ardea::lower
