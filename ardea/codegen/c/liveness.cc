#include "ardea/codegen/c/liveness.h"

#include <unordered_map>
#include <vector>

#include "ardea/ir/intrinsics.h"
#include "ardea/ir/traverse.h"

namespace ardea::codegen::c {

namespace {

/// What one piece of code reads: the statements, or the value of a let that may turn out to be unused.
struct Reads {
  std::unordered_set<Var> variables;
  std::unordered_set<Expr> seen;
};

class Reader {
 public:
  std::unordered_set<Var> run(const Stmt& s) {
    read(s);
    std::vector<Var> open(code_.variables.begin(), code_.variables.end());
    std::unordered_set<Var> live = code_.variables;
    while (!open.empty()) {
      const auto value = values_.find(open.back());
      open.pop_back();
      if (value == values_.end()) continue;
      for (const Var& var : value->second.variables)
        if (live.insert(var).second) open.push_back(var);
    }
    return live;
  }

 private:
  void read(const Stmt& s) {
    if (const auto* store = s.as<Store>()) read_memory(store->buffer, code_);
    if (const auto* let = s.as<LetStmt>()) {
      read_value(let->var, let->value, code_);
      return read(let->body);
    }
    for_each_child(s, [&](const Expr& e) { read(e, code_); }, [&](const Stmt& part) { read(part); });
  }

  void read(const Expr& e, Reads& into) {
    if (e.is<VarNode>()) {
      into.variables.insert(Var(e));
      return;
    }
    if (!into.seen.insert(e).second) return;
    if (const auto* load = e.as<Load>()) read_memory(load->buffer, into);
    if (const auto* let = e.as<Let>()) {
      read_value(let->var, let->value, into);
      return read(let->body, into);
    }
    for_each_child(e, [&](const Expr& part) { read(part, into); });
  }

  void read_memory(const Buffer& buffer, Reads& into) {
    into.variables.insert(buffer->data);
    if (buffer->element_offset.defined()) read(buffer->element_offset, into);
  }

  void read_value(const Var& var, const Expr& value, Reads& into) {
    read(value, has_effect(value) ? into : values_[var]);
  }

  Reads code_;
  std::unordered_map<Var, Reads> values_;
};

}  // namespace

std::unordered_set<Var> variables_read(const Stmt& s) { return Reader().run(s); }

}  // namespace ardea::codegen::c
