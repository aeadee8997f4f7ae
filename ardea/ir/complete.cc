#include "ardea/ir/complete.h"

#include <algorithm>

#include "ardea/ir/traverse.h"
#include "ardea/support/error.h"
#include "ardea/support/overloaded.h"

namespace ardea {

namespace {

bool all_defined(const std::vector<Expr>& all) {
  return std::all_of(all.begin(), all.end(), [](const Expr& e) { return e.defined(); });
}

/// What e lacks; empty where it lacks nothing.
const char* missing_part(const Expr& e) {
  const auto operand = [](bool is_there) { return is_there ? "" : "an operand of an expression"; };
  return std::visit(
      overloaded{
          [&](const Cast& n) { return operand(n.value.defined()); },
          [&](const Unary& n) { return operand(n.operand.defined()); },
          [&](const Binary& n) { return operand(n.left.defined() && n.right.defined()); },
          [&](const Select& n) { return operand(all_defined({n.condition, n.when_true, n.when_false})); },
          [&](const Let& n) { return operand(all_defined({n.var, n.value, n.body})); },
          [&](const Load& n) {
            return !n.buffer.defined() ? "the buffer of a load" : operand(all_defined(n.indices));
          },
          [&](const Call& n) { return operand(all_defined(n.arguments)); },
          [&](const Ramp& n) { return operand(all_defined({n.base, n.stride})); },
          [&](const Broadcast& n) { return operand(n.value.defined()); },
          [&](const Shuffle& n) { return operand(all_defined(n.vectors)); }, [&](const auto&) { return ""; }},
      e.variant());
}

std::string missing_part(const Stmt& s) {
  using std::string;
  return std::visit(
      overloaded{
          [](const Store& n) -> string {
            if (!n.buffer.defined()) return "the buffer of a store";
            return n.value.defined() && all_defined(n.indices)
                       ? ""
                       : "the value or an index of a store to " + n.buffer->name;
          },
          [](const For& n) -> string {
            if (!n.var.defined()) return "the variable of a loop";
            if (!n.min.defined() || !n.extent.defined()) return "a bound of loop " + n.var.name();
            return n.body.defined() ? "" : "the body of loop " + n.var.name();
          },
          [](const If& n) -> string {
            if (!n.condition.defined()) return "a condition";
            return n.then_case.defined() ? "" : "what an if does";
          },
          [](const Seq& n) -> string {
            for (const Stmt& part : n.statements)
              if (!part.defined()) return "a statement of a sequence";
            return "";
          },
          [](const Allocate& n) -> string {
            if (!n.data.defined()) return "the handle of an allocation";
            if (!all_defined(n.extents)) return "an extent of the allocation " + n.data.name();
            return n.body.defined() ? "" : "what follows the allocation " + n.data.name();
          },
          [](const DeclareBuffer& n) -> string {
            if (!n.buffer.defined()) return "a declared buffer";
            return n.body.defined() ? "" : "what follows the declaration of " + n.buffer->name;
          },
          [](const LetStmt& n) -> string {
            if (!n.var.defined()) return "the variable of a let";
            return n.value.defined() && n.body.defined()
                       ? ""
                       : "the value or what follows the let " + n.var.name();
          },
          [](const Assert& n) -> string { return n.condition.defined() ? "" : "the condition of an assert"; },
          [](const Evaluate& n) -> string { return n.value.defined() ? "" : "an expression to evaluate"; },
          [](const Block& n) -> string { return n.body.defined() ? "" : "the body of block " + n.name; }},
      s.variant());
}

}  // namespace

void require_complete(const Function& f, const std::string& who) {
  const auto refuse = [&](const std::string& part) {
    require(part.empty(),
            "{}: {} of {} is empty; give it a statement or a value, Evaluate{{make_int(0)}} does nothing",
            who, part, f.name);
  };
  if (!f.body.defined()) refuse("the body");
  visit_stmts(f.body, [&](const Stmt& s) { refuse(missing_part(s)); });
  visit_exprs(f.body, [&](const Expr& e) { refuse(missing_part(e)); });
}

}  // namespace ardea
