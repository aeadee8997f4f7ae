#include "ardea/te/compute.h"

#include <algorithm>

#include "ardea/ir/fold_literals.h"
#include "ardea/ir/substitute.h"
#include "ardea/support/error.h"
#include "ardea/support/text.h"
#include "ardea/te/reduce_axes.h"

namespace ardea::te {

namespace {

std::vector<Axis> axes_of(const std::string& name, const std::vector<Dim>& shape) {
  std::vector<Axis> axes;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    require(shape[d].extent.defined(), "compute({}): extent {} is an empty expression", name, d + 1);
    const DataType type = shape[d].extent.type();
    require(type.is_integer() && type.is_scalar(), "compute({}): extent {} is {}, must be an integer", name,
            d + 1, to_string(type));
    const Expr folded = fold_literals(shape[d].extent);
    const auto extent = constant_int(folded);
    require(!extent || *extent > 0, "compute({}): extent {} is {}, must be at least 1", name, d + 1,
            extent.value_or(0));
    const Expr index_extent = extent ? make_int(*extent) : make_cast(int64, folded);
    axes.push_back({Var(shape[d].name.empty() ? fmt::format("i{}", d) : shape[d].name),
                    {make_int(0), index_extent},
                    IteratorKind::spatial});
  }
  return axes;
}

std::string axis_names(const Reduction& reduction) {
  std::vector<std::string> names;
  for (const Axis& axis : reduction.axes) names.push_back(axis.name());
  return join(names, ", ");
}

void check_agreement(const std::string& name, const Reduction& first, const Reduction& other) {
  require(first.reducer == other.reducer,
          "compute({}): its results are reduced by {} and by {}; one stage has one reducer: write a Reducer "
          "of both values, or two computes",
          name, first.reducer->name, other.reducer->name);
  const bool same_axes =
      std::equal(first.axes.begin(), first.axes.end(), other.axes.begin(), other.axes.end(),
                 [](const Axis& a, const Axis& b) { return a.var == b.var; });
  require(same_axes,
          "compute({}): its results are reduced over ({}) and over ({}); results of one stage share their "
          "axes: use the same ones, or two computes",
          name, axis_names(first), axis_names(other));
  require(first.where == other.where,
          "compute({}): its results are reduced under different conditions; results of one stage share one",
          name);
}

/// Independent reductions side by side as one reduction of a longer tuple.
Reduction joined(const std::string& name, const std::vector<Reduction>& reductions) {
  require(!reductions.empty(), "compute({}): its function gives no result", name);
  if (reductions.size() == 1) return reductions[0];
  std::vector<std::size_t> lengths;
  std::vector<Expr> values;
  for (const Reduction& reduction : reductions) {
    check_agreement(name, reductions[0], reduction);
    lengths.push_back(reduction.values.size());
    values.insert(values.end(), reduction.values.begin(), reduction.values.end());
  }
  const std::shared_ptr<const ReducerNode> part = reductions[0].reducer;
  /// f on each part's slice of the tuples, joined again.
  const auto by_parts = [lengths](const auto& f, const auto&... tuples) {
    std::vector<Expr> all;
    std::ptrdiff_t begin = 0;
    for (const std::size_t length : lengths) {
      const auto end = begin + static_cast<std::ptrdiff_t>(length);
      const std::vector<Expr> some =
          f(std::decay_t<decltype(tuples)>(tuples.begin() + begin, tuples.begin() + end)...);
      all.insert(all.end(), some.begin(), some.end());
      begin = end;
    }
    return all;
  };
  auto node = std::make_shared<const ReducerNode>(ReducerNode{
      part->name,
      [part, by_parts](const std::vector<Expr>& a, const std::vector<Expr>& b) {
        return by_parts(part->combine, a, b);
      },
      [part, by_parts](const std::vector<DataType>& types) { return by_parts(part->identity, types); }});
  return {std::move(node), std::move(values), reductions[0].axes, reductions[0].where};
}

std::vector<Tensor> inputs_of(const std::vector<Expr>& expressions) {
  std::vector<Tensor> inputs;
  for (const Expr& e : expressions)
    for (const Tensor& tensor : tensors_in(e))
      if (std::find(inputs.begin(), inputs.end(), tensor) == inputs.end()) inputs.push_back(tensor);
  return inputs;
}

/// What the function makes of the axes. It makes expressions, whose faults name the operation: they are told
/// together with the stage.
Body body_of(const std::string& name, const AxisFunction& body, const std::vector<Var>& variables) {
  try {
    return body(variables);
  } catch (const Error& error) {
    fail("compute({}): {}", name, error.what());
  }
}

/// An element has one value: none that mentions an axis is left, unless it is reduced over it.
void check_reduced(const std::string& name, const Compute& compute, const std::vector<Expr>& read) {
  const auto* reduction = std::get_if<Reduction>(&compute.body);
  for (const Expr& value : read)
    for (const Var& var : free_variables(value)) {
      const bool is_reduced = reduction && std::any_of(reduction->axes.begin(), reduction->axes.end(),
                                                       [&](const Axis& axis) { return axis.var == var; });
      if (is_reduced || !is_reduce_axis(var)) continue;
      if (!reduction)
        fail(
            "compute({}): its value uses the reduce axis {}, and nothing reduces over it; write te::sum(…, "
            "{{{}}}), "
            "or max, min, …",
            name, var.name(), var.name());
      fail(
          "compute({}): what it reduces uses the reduce axis {}, which is not among the axes ({}) of {}; add "
          "it",
          name, var.name(), axis_names(*reduction), reduction->reducer->name);
    }
}

}  // namespace

std::vector<Dim> dims(const std::vector<Expr>& shape) { return {shape.begin(), shape.end()}; }

std::vector<Tensor> compute_from(std::string name, const std::vector<Dim>& shape, int parameters,
                                 const AxisFunction& body) {
  require(parameters < 0 || static_cast<std::size_t>(parameters) == shape.size(),
          "compute({}): its shape has {} dimension{}, but its function takes {} ind{}; give it one index a "
          "dimension",
          name, shape.size(), shape.size() == 1 ? "" : "s", parameters, parameters == 1 ? "ex" : "ices");
  Compute compute{axes_of(name, shape), {}};
  std::vector<Var> variables;
  std::vector<Expr> extents;
  for (const Axis& axis : compute.axes) {
    variables.push_back(axis.var);
    extents.push_back(axis.range.extent);
  }
  const Body given = body_of(name, body, variables);
  std::vector<Expr> values, read;
  if (const auto* expressions = std::get_if<std::vector<Expr>>(&given.value)) {
    require(!expressions->empty(), "compute({}): its function gives no result", name);
    compute.body = values = read = *expressions;
  } else {
    Reduction reduction = joined(name, std::get<std::vector<Reduction>>(given.value));
    values = read = reduction.values;
    if (reduction.where.defined()) read.push_back(reduction.where);
    compute.body = std::move(reduction);
  }
  std::vector<Buffer> outputs;
  for (std::size_t i = 0; i < values.size(); ++i) {
    require(values[i].defined(),
            "compute({}): its function gives an empty expression, one that was never given a value", name);
    require(values[i].type().is_scalar() && !values[i].type().is_handle(),
            "compute({}): a value is {}, must be a number", name, to_string(values[i].type()));
    outputs.push_back(
        make_buffer(values.size() == 1 ? name : fmt::format("{}_v{}", name, i), extents, values[i].type()));
  }
  check_reduced(name, compute, read);
  std::vector<Tensor> inputs = inputs_of(read);
  return results(publish({std::move(name), std::move(outputs), std::move(inputs), std::move(compute)}));
}

}  // namespace ardea::te
