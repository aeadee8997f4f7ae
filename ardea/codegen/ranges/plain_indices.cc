#include "ardea/codegen/ranges/plain_indices.h"

#include <algorithm>
#include <unordered_set>

#include "ardea/ir/traverse.h"

namespace ardea::codegen {

namespace {

/// Reads definitions before their uses.
class IndexReader {
 public:
  bool all_plain(const Stmt& s) {
    read(s);
    return plain_;
  }

 private:
  void read(const Stmt& s) {
    if (const auto* store = s.as<Store>()) read_place(store->buffer, store->indices);
    for_each_child(s, [&](const Expr& e) { read(e); }, [](const Stmt&) {});
    if (const auto* let = s.as<LetStmt>()) define(let->var, let->value);
    for_each_child(s, [](const Expr&) {}, [&](const Stmt& part) { read(part); });
  }

  void read(const Expr& e) {
    if (!plain_ || !seen_.insert(e).second) return;
    if (const auto* let = e.as<Let>()) {
      read(let->value);
      define(let->var, let->value);
      return read(let->body);
    }
    if (const auto* load = e.as<Load>()) read_place(load->buffer, load->indices);
    for_each_child(e, [&](const Expr& part) { read(part); });
  }

  void read_place(const Buffer& buffer, const std::vector<Expr>& indices) {
    plain_ =
        plain_ && std::all_of(indices.begin(), indices.end(), [&](const Expr& e) { return is_plain(e); });
    if (buffer->element_offset.defined()) plain_ = plain_ && is_plain(buffer->element_offset);
  }

  void define(const Var& var, const Expr& value) {
    if (var.type().is_integer() && !is_plain(value)) bent_.insert(var);
  }

  bool is_plain(const Expr& e) const {
    if (e.is<IntImm>()) return true;
    if (!e.type().is_int() || e.type().bits < 32) return false;
    if (e.is<VarNode>()) return !bent_.contains(Var(e));
    if (const auto* cast = e.as<Cast>())
      return e.type().bits >= cast->value.type().bits && is_plain(cast->value);
    if (const auto* ramp = e.as<Ramp>()) return is_plain(ramp->base) && is_plain(ramp->stride);
    if (const auto* broadcast = e.as<Broadcast>()) return is_plain(broadcast->value);
    const auto* binary = e.as<Binary>();
    if (binary == nullptr) return false;
    switch (binary->op) {
      case BinaryOp::add:
      case BinaryOp::sub:
      case BinaryOp::mul:
      case BinaryOp::min:
      case BinaryOp::max: return is_plain(binary->left) && is_plain(binary->right);
      default: return false;
    }
  }

  bool plain_ = true;
  std::unordered_set<Var> bent_;  ///< variables with other values
  std::unordered_set<Expr> seen_;
};

}  // namespace

bool has_plain_indices(const Stmt& s) { return IndexReader().all_plain(s); }

}  // namespace ardea::codegen
