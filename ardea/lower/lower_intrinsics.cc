#include <limits>
#include <map>
#include <set>

#include "ardea/ir/accuracy.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/traverse.h"
#include "ardea/lower/functions/functions.h"
#include "ardea/lower/passes.h"
#include "ardea/lower/rules.h"
#include "ardea/support/error.h"

namespace ardea::lower {

namespace {

using Arguments = std::vector<Expr>;
using Form = Expr (*)(const Arguments&);

Expr one(const Expr& like) { return make_const(1, like.type()); }
Expr infinity(const Expr& like) { return make_const(std::numeric_limits<double>::infinity(), like.type()); }
Expr negated(const Expr& x) { return make_unary(UnaryOp::negate, x); }

/// What no CPU backend has a direct form for.
const std::map<std::string, Form>& exact_forms() {
  static const std::map<std::string, Form> forms = {
      {"isnan", [](const Arguments& x) { return not_equals(x[0], x[0]); }},
      {"isinf", [](const Arguments& x) { return equals(make_call("abs", {x[0]}), infinity(x[0])); }},
      {"isfinite", [](const Arguments& x) { return make_call("abs", {x[0]}) < infinity(x[0]); }},
  };
  return forms;
}

/// In float32 exp(-x) overflows while the sigmoid is still a number, so that only powers below 1 are taken
/// there.
Expr library_sigmoid(const Arguments& arguments) {
  const Expr& x = arguments[0];
  if (x.type().bits == 64) return one(x) / (one(x) + make_call("exp", {negated(x)}));
  const Var power("power", x.type());
  const Expr top = make_select(x >= make_const(0, x.type()), one(x), power);
  return make_let(power, make_call("exp", {negated(make_call("abs", {x}))}), top / (one(x) + power));
}

/// The approximate functions that the C library does not have, by those that it has.
const std::map<std::string, Form>& library_forms() {
  static const std::map<std::string, Form> forms = {
      {"sigmoid", library_sigmoid},
      {"rsqrt", [](const Arguments& x) { return one(x[0]) / make_call("sqrt", {x[0]}); }},
  };
  return forms;
}

class Lowering {
 public:
  Lowering(const Function& f, const target::Target& target)
      : target_(target), library_(integer_attribute(f.attributes, "library_functions", 0) != 0) {}

  // Statement by statement: a call that two of them share must not become a let that they share.
  Stmt statement(const Stmt& s) {
    return map_children(s, Mapper{.expr = [&](const Expr& e) { return expression(e); },
                                  .stmt = [&](const Stmt& inner) { return statement(inner); }});
  }

 private:
  Expr expression(const Expr& e) {
    return rewrite(e, Rewriter{.expr_after = [&](const Expr& x) {
                     const auto* call = x.as<Call>();
                     return call == nullptr ? x : lowered(x, *call);
                   }});
  }

  Expr lowered(const Expr& e, const Call& call) {
    const std::string& name = call.op->name;
    if (!library_ && !in_own_rule_.contains(name))
      if (const Rule rule = find_rule(target_, name)) return by_rule(rule, e, call);
    if (is_registered(*call.op)) return expression(expand_registered(e));
    if (const auto form = exact_forms().find(name); form != exact_forms().end())
      return by_form(form->second, call);
    if (find_accuracy(name) == nullptr) return e;
    if (!library_) return functions::expressed(name, call.arguments, target_);
    const auto form = library_forms().find(name);
    return form == library_forms().end() ? e : by_form(form->second, call);
  }

  /// `write` on variables that stand for the arguments, each evaluated once.
  template <class Write>
  static Expr with_variables(const Arguments& arguments, const Write& write) {
    Arguments simple;
    std::vector<std::pair<Var, Expr>> lets;
    for (const Expr& argument : arguments) {
      simple.push_back(argument);
      if (argument.is<VarNode>() || argument.is<FloatImm>() || argument.is<IntImm>()) continue;
      lets.emplace_back(Var("x", argument.type()), argument);
      simple.back() = lets.back().first;
    }
    Expr value = write(simple);
    for (std::size_t i = lets.size(); i-- > 0;) value = make_let(lets[i].first, lets[i].second, value);
    return value;
  }

  static Expr by_form(Form form, const Call& call) {
    return with_variables(call.arguments, [&](const Arguments& x) { return form(x); });
  }

  Expr by_rule(const Rule& rule, const Expr& e, const Call& call) {
    const std::string& name = call.op->name;
    return with_variables(call.arguments, [&](const Arguments& x) {
      const Expr value = rule(x, target_);
      require(value.defined() && value.type() == e.type(),
              "the rule of T.{} for target {} gives {} for a call of type {}, which must stay", name,
              target_.name, value.defined() ? to_string(value.type()) : "nothing", to_string(e.type()));
      in_own_rule_.insert(name);
      const Expr result = expression(value);
      in_own_rule_.erase(name);
      return result;
    });
  }

  const target::Target& target_;
  const bool library_;
  std::set<std::string> in_own_rule_;
};

}  // namespace

Function lower_intrinsics(const Function& f, const target::Target& target) {
  Function out = f;
  out.body = Lowering(f, target).statement(f.body);
  return out;
}

}  // namespace ardea::lower
