#include "ardea/te/stage.h"

#include <fmt/format.h>

#include "ardea/ir/fold_literals.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/substitute.h"

namespace ardea::te {

namespace {

/// Collects the loops and the block iterators of a stage.
class Nest {
 public:
  /// A loop from 0 with an iterator over the axis.
  void add(const Axis& axis) {
    const Var loop(axis.name(), axis.var.type());
    loops_.emplace_back(loop, axis.range.extent);
    bind(axis, axis.range, axis.kind, is_zero(axis.range.min) ? Expr(loop) : loop + axis.range.min);
  }

  /// The step of a scan, whose loop is outside.
  void add_step(const Axis& axis, const ScanStep& step) {
    bind(axis, step.range, IteratorKind::ordered, step.loop + step.range.min);
  }

  Expr inside(const Expr& e) const { return fold_literals(substitute(e, iterators_)); }

  std::vector<Expr> indices(const std::vector<Axis>& axes) const {
    std::vector<Expr> indices;
    for (const Axis& axis : axes) indices.push_back(iterators_.at(axis.var));
    return indices;
  }

  Stmt around(const std::string& name, Stmt init, Stmt body) const {
    Block block{
        .name = name, .iterators = block_iterators_, .init = std::move(init), .body = std::move(body)};
    Stmt nest = std::move(block);
    for (std::size_t i = loops_.size(); i-- > 0;)
      nest = make_for(loops_[i].first, make_int(0, loops_[i].first.type()), loops_[i].second, nest);
    return nest;
  }

 private:
  void bind(const Axis& axis, const Range& domain, IteratorKind kind, Expr binding) {
    const Var iterator("v_" + axis.name(), axis.var.type());
    iterators_[axis.var] = iterator;
    block_iterators_.push_back({iterator, domain, kind, std::move(binding)});
  }

  std::vector<std::pair<Var, Expr>> loops_;
  std::vector<BlockIterator> block_iterators_;
  Substitution iterators_;
};

Stmt stores(const std::vector<Buffer>& outputs, const std::vector<Expr>& indices,
            const std::vector<Expr>& values) {
  std::vector<Stmt> statements;
  for (std::size_t i = 0; i < outputs.size(); ++i)
    statements.push_back(make_store(outputs[i], indices, values[i]));
  return make_seq(std::move(statements));
}

/// A tuple is computed before its first part is stored: the parts of the combiner read all of them.
Stmt tuple_update(const std::vector<Buffer>& outputs, const std::vector<Expr>& indices,
                  const std::vector<Expr>& values) {
  if (outputs.size() == 1) return stores(outputs, indices, values);
  std::vector<Var> variables;
  for (const Buffer& output : outputs) variables.emplace_back("v_" + output->name, output->type);
  Stmt body = stores(outputs, indices, {variables.begin(), variables.end()});
  for (std::size_t i = values.size(); i-- > 0;) body = LetStmt{variables[i], values[i], body};
  return body;
}

/// What a point that does not count adds: the identity, but -0 to a sum of floats. x + -0 is x for every x,
/// x + 0 makes +0 of -0: only the first says that there is nothing to do.
Expr neutral(const Reduction& reduction, const Expr& identity) {
  const auto* zero = identity.as<FloatImm>();
  if (zero == nullptr || zero->value != 0 || reduction.values.size() != 1) return identity;
  const Var a("a", identity.type()), b("b", identity.type());
  const Expr combined = reduction.reducer->combine({a}, {b})[0];
  const auto* sum = combined.as<Binary>();
  const bool adds = sum != nullptr && sum->op == BinaryOp::add &&
                    ((sum->left == a && sum->right == b) || (sum->left == b && sum->right == a));
  return adds ? make_float(-0.0, identity.type()) : identity;
}

Stmt reduction_stage(const Nest& nest, const Reduction& reduction, const std::vector<Buffer>& outputs,
                     const std::vector<Expr>& indices, const std::string& name) {
  std::vector<DataType> types;
  for (const Buffer& output : outputs) types.push_back(output->type);
  const std::vector<Expr> identity = reduction.reducer->identity(types);
  std::vector<Expr> before, values;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    before.push_back(make_load(outputs[i], indices));
    values.push_back(nest.inside(reduction.values[i]));
    // Not a condition around the store: a point that does not count still takes its part in the reduction.
    if (reduction.where.defined())
      values[i] = make_call("if_then_else",
                            {nest.inside(reduction.where), values[i], neutral(reduction, identity[i])});
  }
  return nest.around(name, stores(outputs, indices, identity),
                     tuple_update(outputs, indices, reduction.reducer->combine(before, values)));
}

}  // namespace

Stmt compute_stage(const Compute& compute, const std::vector<Buffer>& outputs, const std::string& block_name,
                   const std::optional<ScanStep>& step) {
  Nest nest;
  for (std::size_t i = 0; i < compute.axes.size(); ++i) {
    if (i == 0 && step)
      nest.add_step(compute.axes[i], *step);
    else
      nest.add(compute.axes[i]);
  }
  const std::vector<Expr> indices = nest.indices(compute.axes);
  if (const auto* reduction = std::get_if<Reduction>(&compute.body)) {
    for (const Axis& axis : reduction->axes) nest.add(axis);
    return reduction_stage(nest, *reduction, outputs, indices, block_name);
  }
  std::vector<Expr> values;
  for (const Expr& value : std::get<std::vector<Expr>>(compute.body)) values.push_back(nest.inside(value));
  return nest.around(block_name, {}, stores(outputs, indices, values));
}

Stmt copy_stage(const Tensor& from, const Buffer& to, const std::string& block_name) {
  Nest nest;
  std::vector<Axis> axes;
  for (std::size_t d = 0; d < from.rank(); ++d)
    axes.push_back({Var(fmt::format("i{}", d)), {make_int(0), from.shape()[d]}, IteratorKind::spatial});
  for (const Axis& axis : axes) nest.add(axis);
  const std::vector<Expr> indices = nest.indices(axes);
  return nest.around(block_name, {}, make_store(to, indices, from.at(indices)));
}

Stmt extern_stage(const Extern& written, const std::string& block_name) {
  return Block{
      .name = block_name, .reads = written.reads, .writes = written.writes, .body = fresh_copy(written.body)};
}

}  // namespace ardea::te
