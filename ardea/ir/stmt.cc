#include "ardea/ir/stmt.h"

#include <atomic>

#include "ardea/support/error.h"

namespace ardea {

std::int64_t integer_attribute(const Attributes& attributes, const std::string& key, std::int64_t fallback) {
  const auto found = attributes.find(key);
  if (found == attributes.end()) return fallback;
  const Expr* value = std::get_if<Expr>(&found->second.value);
  return value == nullptr ? fallback : constant_int(*value).value_or(fallback);
}

BlockId BlockId::fresh() {
  static std::atomic<std::uint64_t> next{1};
  return BlockId{next++};
}

Stmt make_store(Buffer buffer, std::vector<Expr> indices, Expr value, Expr predicate) {
  const Expr target = make_load(buffer, indices, predicate);  // the same laws hold for the place
  require(value.type() == target.type(), "{}[…] = …: the value is {}, the place {}; cast the value",
          buffer->name, to_string(value.type()), to_string(target.type()));
  return Store{std::move(buffer), std::move(indices), std::move(value), std::move(predicate)};
}

Stmt make_no_op() {
  static const Stmt nothing = Evaluate{make_int(0)};
  return nothing;
}

bool is_no_op(const Stmt& s) {
  const auto* evaluate = s.as<Evaluate>();
  return evaluate != nullptr && evaluate->value.is<IntImm>();
}

Stmt make_seq(std::vector<Stmt> statements) {
  std::vector<Stmt> flat;
  for (Stmt& s : statements) {
    if (!s.defined()) continue;
    if (const auto* inner = s.as<Seq>())
      flat.insert(flat.end(), inner->statements.begin(), inner->statements.end());
    else
      flat.push_back(std::move(s));
  }
  if (flat.empty()) return make_no_op();
  if (flat.size() == 1) return flat[0];
  return Seq{std::move(flat)};
}

Stmt make_if(Expr condition, Stmt then_case, Stmt else_case) {
  require(condition.type() == boolean, "if: the condition is {}, must be a scalar bool",
          to_string(condition.type()));
  require(then_case.defined(), "if: what it does is an empty statement; make_no_op() does nothing");
  return If{std::move(condition), std::move(then_case), std::move(else_case)};
}

Stmt make_for(Var var, Expr min, Expr extent, Stmt body, ForKind kind) {
  require(min.type() == var.type() && extent.type() == var.type() && var.type().is_integer() &&
              var.type().is_scalar(),
          "for {}: the variable is {}, its bounds {} and {}", var.name(), to_string(var.type()),
          to_string(min.type()), to_string(extent.type()));
  require(body.defined(), "for {}: its body is an empty statement; make_no_op() does nothing", var.name());
  return For{std::move(var), std::move(min), std::move(extent), kind, std::move(body)};
}

Buffer make_buffer(std::string name, std::vector<Expr> shape, DataType type, std::string scope) {
  for (const Expr& extent : shape)
    require(extent.defined(), "buffer {}: an extent is an empty expression", name);
  Var data(name, handle_type);
  return Buffer(BufferNode{.name = std::move(name),
                           .data = std::move(data),
                           .type = type,
                           .shape = std::move(shape),
                           .scope = std::move(scope)});
}

BufferRegion whole_region(const Buffer& buffer) {
  BufferRegion whole{buffer, {}};
  for (const Expr& extent : buffer->shape) whole.region.push_back({make_int(0, extent.type()), extent});
  return whole;
}

Expr predicate_of(const Block& block) {
  return block.predicate.defined() ? block.predicate : make_bool(true);
}

}  // namespace ardea
