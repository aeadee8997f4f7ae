#include "ardea/compile/roles.h"

#include <unordered_map>
#include <unordered_set>

#include "ardea/ir/intrinsics.h"
#include "ardea/ir/traverse.h"
#include "ardea/lower/passes.h"

namespace ardea::compile {

namespace {

/// The first access to each memory in program order, and which memories are written at all.
class AccessOrder {
 public:
  explicit AccessOrder(const Stmt& body) { visit(body); }

  Role role(const Parameter& p) const {
    if (!p.buffer.defined()) return Role::input;
    const Var& data = p.buffer->data;
    if (handed_out_.contains(data) || handed_out_.contains(p.var)) return Role::in_place;
    if (!written_.contains(data)) return Role::input;
    const auto first = first_is_write_.find(data);
    return first != first_is_write_.end() && first->second ? Role::output : Role::in_place;
  }

 private:
  Var memory_of(const Buffer& b) const {
    const auto source = matched_.find(b->data);
    return source == matched_.end() ? b->data : source->second;
  }
  void touch(const Buffer& b, bool write) {
    const Var data = memory_of(b);
    first_is_write_.try_emplace(data, write);
    if (write) written_.insert(data);
  }
  void visit(const Expr& e) {
    visit_exprs(e, [&](const Expr& x) {
      const auto* call = x.as<Call>();
      if (call != nullptr && (call->op->effect == Effect::writes || call->op->name == "address_of"))
        for (const Buffer& b : buffers_in(x))
          touch(b, false), touch(b, true);  // may do anything with what it is handed
      if (const auto* load = x.as<Load>()) touch(load->buffer, false);
      if (x.is<VarNode>() && x.type().is_handle()) handed_out_.insert(x);
    });
  }
  void visit(const Stmt& s) {
    if (!s.defined()) return;
    if (const auto* block = s.as<Block>()) {
      for (const MatchBuffer& m : block->matches) matched_[m.buffer->data] = memory_of(m.source.buffer);
      visit(block->init);
      visit(block->body);
      return;
    }
    if (const auto* store = s.as<Store>()) {
      for (const Expr& i : store->indices) visit(i);
      visit(store->value);
      touch(store->buffer, true);
      return;
    }
    for_each_child(s, [&](const Expr& e) { visit(e); }, [&](const Stmt& inner) { visit(inner); });
  }

  std::unordered_map<Var, bool> first_is_write_;
  std::unordered_map<Var, Var> matched_;
  std::unordered_set<Var> written_;
  std::unordered_set<Expr> handed_out_;  ///< addresses that the program uses as values
};

}  // namespace

std::string to_string(Role role) {
  return role == Role::input ? "input" : role == Role::output ? "output" : "in_place";
}

std::vector<Role> argument_roles(const Function& f) {
  const AccessOrder order(lower::expand_tensor_instructions(f).body);
  std::vector<Role> roles;
  for (const Parameter& p : f.parameters) roles.push_back(order.role(p));
  return roles;
}

}  // namespace ardea::compile
