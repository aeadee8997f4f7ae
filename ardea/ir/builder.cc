#include "ardea/ir/builder.h"

#include "ardea/support/error.h"

namespace ardea {

FunctionBuilder::FunctionBuilder(std::string name) { function_.name = std::move(name); }

Buffer FunctionBuilder::parameter(const std::string& name, std::vector<Expr> shape, DataType type) {
  Buffer buffer = make_buffer(name, std::move(shape), type);
  function_.parameters.push_back({Var(name + "_handle", handle_type), buffer});
  return buffer;
}

Var FunctionBuilder::scalar(const std::string& name, DataType type) {
  Var var(name, type);
  function_.parameters.push_back({var});
  return var;
}

void FunctionBuilder::attribute(const std::string& key, Expr value) {
  function_.attributes[key] = {std::move(value)};
}

Buffer FunctionBuilder::allocate(const std::string& name, std::vector<Expr> shape, DataType type,
                                 const std::string& scope) {
  Buffer buffer = make_buffer(name, std::move(shape), type, scope);
  (blocks_.empty() ? root_allocations_ : blocks_.back()->block_.allocations).push_back(buffer);
  has_blocks_ = true;
  return buffer;
}

void FunctionBuilder::add(Stmt statement) { open_.back().push_back(std::move(statement)); }

void FunctionBuilder::store(const Buffer& buffer, std::vector<Expr> indices, Expr value, Expr predicate) {
  add(make_store(buffer, std::move(indices), std::move(value), std::move(predicate)));
}

void FunctionBuilder::evaluate(Expr value) { add(Evaluate{std::move(value)}); }

void FunctionBuilder::check(Expr condition, std::string message) {
  add(Assert{std::move(condition), std::move(message)});
}

Stmt FunctionBuilder::collect(const std::function<void()>& body) {
  open_.emplace_back();
  body();
  std::vector<Stmt> statements = std::move(open_.back());
  open_.pop_back();
  return make_seq(std::move(statements));
}

void FunctionBuilder::grid(const std::vector<std::string>& names, const std::vector<Expr>& extents,
                           const Loops& body) {
  require(names.size() == extents.size(), "grid: {} names for {} extents", names.size(), extents.size());
  std::vector<Var> loops;
  for (std::size_t i = 0; i < names.size(); ++i) loops.emplace_back(names[i], extents[i].type());
  Stmt nest = collect([&] { body(loops); });
  for (std::size_t i = names.size(); i-- > 0;)
    nest = make_for(loops[i], make_int(0, extents[i].type()), extents[i], nest);
  add(nest);
}

void FunctionBuilder::loop(const std::string& name, Expr min, Expr extent,
                           const std::function<void(const Var&)>& body, ForKind kind,
                           const std::string& thread) {
  const Var var(name, extent.type());
  Stmt inside = collect([&] { body(var); });
  For node{.var = var,
           .min = std::move(min),
           .extent = std::move(extent),
           .kind = kind,
           .body = std::move(inside)};
  node.thread = thread;
  add(std::move(node));
}

void FunctionBuilder::when(Expr condition, const std::function<void()>& then_case,
                           const std::function<void()>& else_case) {
  Stmt taken = collect(then_case);
  Stmt other = else_case ? collect(else_case) : Stmt();
  add(make_if(std::move(condition), std::move(taken), std::move(other)));
}

void FunctionBuilder::let(const std::string& name, Expr value, const std::function<void(const Var&)>& body) {
  const Var var(name, value.type());
  Stmt inside = collect([&] { body(var); });
  add(LetStmt{var, std::move(value), std::move(inside)});
}

void FunctionBuilder::block(const std::string& name, const std::function<void(BlockBuilder&)>& body) {
  has_blocks_ = true;
  BlockBuilder builder(*this, name);
  blocks_.push_back(&builder);
  Stmt inside = collect([&] { body(builder); });
  blocks_.pop_back();
  builder.block_.body = std::move(inside);
  add(std::move(builder.block_));
}

Function FunctionBuilder::build() {
  ensure(open_.size() == 1 && blocks_.empty(), "build: a body is still open");
  Function f = function_;
  f.body = make_seq(open_.back());
  if (has_blocks_) {
    Block root;
    root.name = "root";
    root.reads.emplace();
    root.writes.emplace();
    root.allocations = root_allocations_;
    root.body = f.body;
    f.body = std::move(root);
  }
  return f;
}

BlockBuilder::BlockBuilder(FunctionBuilder& owner, std::string name) : owner_(owner) {
  block_.name = std::move(name);
}

Var BlockBuilder::iterator(const std::string& name, Range domain, IteratorKind kind, Expr binding) {
  Var var(name, binding.type());
  block_.iterators.push_back({var, std::move(domain), kind, std::move(binding)});
  return var;
}

Var BlockBuilder::spatial(const std::string& name, const Expr& extent, Expr binding) {
  return iterator(name, {make_int(0, extent.type()), extent}, IteratorKind::spatial, std::move(binding));
}

Var BlockBuilder::reduce(const std::string& name, const Expr& extent, Expr binding) {
  return iterator(name, {make_int(0, extent.type()), extent}, IteratorKind::reduce, std::move(binding));
}

void BlockBuilder::where(Expr predicate) { block_.predicate = std::move(predicate); }
void BlockBuilder::reads(std::vector<BufferRegion> regions) { block_.reads = std::move(regions); }
void BlockBuilder::writes(std::vector<BufferRegion> regions) { block_.writes = std::move(regions); }
void BlockBuilder::init(const std::function<void()>& body) { block_.init = owner_.collect(body); }
void BlockBuilder::annotate(const std::string& key, Expr value) {
  block_.annotations[key] = {std::move(value)};
}

Buffer BlockBuilder::match(const std::string& name, BufferRegion source, std::vector<Expr> shape) {
  Buffer buffer = make_buffer(name, std::move(shape), source.buffer->type, source.buffer->scope);
  block_.matches.push_back({buffer, std::move(source)});
  return buffer;
}

}  // namespace ardea
