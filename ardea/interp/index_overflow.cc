#include "ardea/interp/index_overflow.h"

#include "ardea/interp/executor.h"
#include "ardea/ir/print.h"
#include "ardea/ir/traverse.h"

namespace ardea::interp {

namespace {

bool loads(const Expr& e) {
  bool found = false;
  visit_exprs(e, [&](const Expr& part) { found = found || part.is<Load>(); });
  return found;
}

/// Where numbers come from. Asked only where something has left the 64 bits already.
class Origins {
 public:
  explicit Origins(const std::unordered_map<Var, Expr>& lets) : lets_(lets) {}

  enum class Origin { small, index, data };  ///< what is made of two is the later one

  Origin of(const Expr& e) {
    if (const auto known = known_.find(e); known != known_.end()) return known->second;
    const Origin origin = of_node(e);
    return known_[e] = origin;
  }

 private:
  Origin of_node(const Expr& e) {
    const DataType type = e.type().element();
    if (type.bits < 64 || e.is<IntImm>()) return Origin::small;
    if (type != int64) return Origin::data;
    if (e.is<VarNode>()) return of_variable(Var(e));
    if (const auto* cast = e.as<Cast>())
      return cast->value.type().is_float() ? Origin::data : of(cast->value);
    if (const auto* unary = e.as<Unary>())
      return unary->op == UnaryOp::negate ? of(unary->operand) : Origin::data;
    if (const auto* binary = e.as<Binary>()) return of_binary(*binary);
    if (const auto* select = e.as<Select>()) return both(select->when_true, select->when_false);
    if (const auto* ramp = e.as<Ramp>()) return both(ramp->base, ramp->stride);
    if (const auto* broadcast = e.as<Broadcast>()) return of(broadcast->value);
    if (const auto* let = e.as<Let>()) return of(let->body);
    if (const auto* call = e.as<Call>(); call && call->op->name == "if_then_else")
      return both(call->arguments[1], call->arguments[2]);
    if (const auto* call = e.as<Call>(); call && call->op->name == "likely") return of(call->arguments[0]);
    return Origin::data;
  }

  Origin of_variable(const Var& var) {
    const auto let = lets_.find(var);
    if (let == lets_.end()) return Origin::index;
    return loads(let->second) ? Origin::data : of(let->second);
  }

  Origin of_binary(const Binary& node) {
    switch (node.op) {
      case BinaryOp::shift_right:
      case BinaryOp::bit_and:
      case BinaryOp::bit_or:
      case BinaryOp::bit_xor: return Origin::data;
      default: return both(node.left, node.right);
    }
  }

  Origin both(const Expr& a, const Expr& b) { return std::max(of(a), of(b)); }

  const std::unordered_map<Var, Expr>& lets_;
  std::unordered_map<Expr, Origin> known_;
};

}  // namespace

bool is_index_arithmetic(const Expr& e, const std::unordered_map<Var, Expr>& lets) {
  return Origins(lets).of(e) == Origins::Origin::index;
}

void Executor::report_index_overflow(const Expr& e) const {
  if (is_index_arithmetic(e, lets_))
    report(fmt::format("the index arithmetic `{}` leaves the 64 bits; compute in uint64 to wrap", print(e)));
}

}  // namespace ardea::interp
