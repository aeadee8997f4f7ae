#include "tests/random/loop_nests.h"
#include "tests/random/random_values.h"
#include "tests/random/stages.h"

namespace ardea::random_programs {

namespace {

/// Where the element of `tensor` for these iterators lies: in their order, or with one dimension backwards.
std::vector<Expr> place(ProgramState& state, const Tensor& tensor, const std::vector<Var>& vars) {
  std::vector<Expr> indices(vars.begin(), vars.end());
  if (state.random().chance(0.12)) {
    const auto d = static_cast<std::size_t>(state.random().integer(0, std::ssize(indices) - 1));
    indices[d] = tensor.axes[d].extent - state.index(1) - indices[d];
  }
  return indices;
}

/// tensor[indices] = something, in one of the ways to say so. Gives the magnitude of what is stored.
double write_element(ProgramState& state, ValueWriter& values, const Tensor& tensor,
                     const std::vector<Expr>& indices) {
  FunctionBuilder& f = state.builder();
  Random& random = state.random();
  const DataType type = tensor.buffer->type;
  const double draw = random.real();
  double magnitude = 1;
  const auto store = [&](int depth) {
    const Value x = values.stored(type, depth);
    magnitude = std::max(magnitude, x.magnitude);
    f.store(tensor.buffer, indices, x.expr);
  };
  if (draw < 0.15) {  // a let around the store
    const Value x = values.value(random.chance(0.5) ? computing_type(type) : state.integer_type(), 2);
    f.let(state.fresh_name("let"), x.expr, [&](const Var& var) {
      values.offer({var, x.magnitude, x.fresh});
      store(2);
    });
  } else if (draw < 0.30) {  // both ways write the same element
    const Expr which = values.condition(2);
    f.when(which, [&] { store(2); }, [&] { store(2); });
  } else if (draw < 0.38) {  // overwritten where a condition holds
    store(1);
    const Expr which = values.condition(2);
    f.when(which, [&] { store(2); });
  } else if (draw < 0.46) {
    const Expr x = values.value(int64, 1).expr;
    f.check(make_binary(BinaryOp::lt, floor_mod(x, 5), make_int(5)), "a remainder is less than its divisor");
    store(2);
  } else {
    store(static_cast<int>(random.integer(1, 4)));
  }
  return magnitude;
}

}  // namespace

void map_stage(ProgramState& state) {
  Random& random = state.random();
  const std::vector<Axis> axes = state.some_axes(static_cast<int>(random.integer(1, 3)));
  std::vector<Tensor> results = {state.result(axes, state.element_type())};
  if (random.chance(0.15)) results.push_back(state.result(axes, state.element_type()));
  const auto iterators = spatial_iterators(axes);
  block_in_loops(state, state.fresh_name("map"), iterators,
                 [&](BlockBuilder& block, const std::vector<Var>& vars) {
                   if (random.chance(0.1)) block.annotate("kind", make_string("map"));
                   for (Tensor& result : results) {
                     ValueWriter values(state, scope_of(iterators, vars));
                     result.magnitude = write_element(state, values, result, place(state, result, vars));
                   }
                 });
  for (Tensor& result : results) state.publish(std::move(result));
}

void reshape_stage(ProgramState& state) {
  Random& random = state.random();
  const Axis rows = state.fixed_axis(), columns = state.any_axis();
  const Axis flat = columns.size ? state.axis(*rows.size * *columns.size)
                                 : state.axis(columns.extent * *rows.size, *rows.size * columns.nominal);
  const bool flatten = random.chance(0.5);
  const DataType type = state.element_type();
  const Tensor source = state.input(flatten ? std::vector{rows, columns} : std::vector{flat}, type);
  Tensor result = state.result(flatten ? std::vector{flat} : std::vector{rows, columns}, type);
  const auto iterators = spatial_iterators(result.axes);
  block_in_loops(state, state.fresh_name("reshape"), iterators,
                 [&](BlockBuilder&, const std::vector<Var>& vars) {
                   std::vector<Expr> from = {vars[0]}, to(vars.begin(), vars.end());
                   if (flatten)
                     from = {floor_div(vars[0], columns.extent), floor_mod(vars[0], columns.extent)};
                   else
                     from = {vars[0] * columns.extent + vars[1]};
                   state.builder().store(result.buffer, to, make_load(source.buffer, from));
                 });
  state.publish(std::move(result));
}

void in_place_stage(ProgramState& state) {
  Random& random = state.random();
  std::vector<Tensor> known = state.tensors();
  // In the last stage only an argument's change can be seen.
  if (state.last_stage) std::erase_if(known, [](const Tensor& tensor) { return !tensor.parameter; });
  const auto new_input = [&] {
    const auto axes = state.some_axes(static_cast<int>(random.integer(1, 2)));
    return state.input(axes, state.element_type());
  };
  const Tensor target = known.empty() || random.chance(0.3) ? new_input() : random.pick(known);
  const auto iterators = spatial_iterators(target.axes);
  double magnitude = 1;
  block_in_loops(
      state, state.fresh_name("update"), iterators, [&](BlockBuilder&, const std::vector<Var>& vars) {
        Scope scope = scope_of(iterators, vars);
        scope.hidden = {target.buffer};
        ValueWriter values(state, scope);
        const std::vector<Expr> indices(vars.begin(), vars.end());
        const DataType type = computing_type(target.buffer->type);
        const Value before =
            values.converted({make_load(target.buffer, indices), target.magnitude, false}, type);
        values.offer(before);
        Value after = values.stored(target.buffer->type, 2);
        if (!type.is_bool()) {  // make sure that the old value counts
          const Value more = values.value(type, 1);
          const Value sum =
              values.clamped({before.expr + more.expr, before.magnitude + more.magnitude, false}, 8);
          after = {make_cast(target.buffer->type, sum.expr), sum.magnitude, false};
        }
        magnitude = after.magnitude;
        state.builder().store(target.buffer, indices, after.expr);
      });
  for (Tensor& tensor : state.tensors())
    if (tensor.buffer == target.buffer) tensor.magnitude = std::max(tensor.magnitude, magnitude);
}

}  // namespace ardea::random_programs
