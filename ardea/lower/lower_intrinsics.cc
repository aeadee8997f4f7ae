#include <limits>
#include <map>

#include "ardea/ir/intrinsics.h"
#include "ardea/ir/traverse.h"
#include "ardea/lower/passes.h"

namespace ardea::lower {

namespace {

using Arguments = std::vector<Expr>;
using Rule = Expr (*)(const Arguments&);

Expr one(const Expr& like) { return make_const(1, like.type()); }
Expr infinity(const Expr& like) { return make_const(std::numeric_limits<double>::infinity(), like.type()); }

/// In float32 exp(-x) overflows while the sigmoid is still a number, so that only powers below 1 are taken
/// there.
Expr sigmoid(const Arguments& arguments) {
  const Expr& x = arguments[0];
  if (x.type().bits == 64) return one(x) / (one(x) + make_call("exp", {make_unary(UnaryOp::negate, x)}));
  const Var power("power", x.type());
  const Expr top = make_select(x >= make_const(0, x.type()), one(x), power);
  return make_let(power, make_call("exp", {make_unary(UnaryOp::negate, make_call("abs", {x}))}),
                  top / (one(x) + power));
}

/// What CPU backends have no direct form for, each within a few units in the last place of the interpreter's.
const std::map<std::string, Rule>& cpu_rules() {
  static const std::map<std::string, Rule> rules = {
      {"sigmoid", sigmoid},
      {"rsqrt", [](const Arguments& x) { return one(x[0]) / make_call("sqrt", {x[0]}); }},
      {"isnan", [](const Arguments& x) { return not_equals(x[0], x[0]); }},
      {"isinf", [](const Arguments& x) { return equals(make_call("abs", {x[0]}), infinity(x[0])); }},
      {"isfinite", [](const Arguments& x) { return make_call("abs", {x[0]}) < infinity(x[0]); }},
  };
  return rules;
}

}  // namespace

Function lower_intrinsics(const Function& f, const target::Target&) {
  Function out = f;
  out.body = rewrite(f.body, Rewriter{.expr_after = [](const Expr& e) {
                       const auto* call = e.as<Call>();
                       if (call == nullptr || has_effect(e)) return e;  // an argument may appear twice
                       const auto rule = cpu_rules().find(call->op->name);
                       return rule == cpu_rules().end() ? e : rule->second(call->arguments);
                     }});
  return out;
}

}  // namespace ardea::lower
