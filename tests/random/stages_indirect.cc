#include "tests/random/loop_nests.h"
#include "tests/random/random_values.h"
#include "tests/random/stages.h"

namespace ardea::random_programs {

namespace {

/// A position inside `axis` that the data decides: whatever they hold, the remainder is inside.
Expr position(ProgramState& state, const Tensor& positions, const std::vector<Expr>& at, const Axis& axis) {
  return floor_mod(make_cast(state.index_type(), make_load(positions.buffer, at)), axis.extent);
}

}  // namespace

void gather_stage(ProgramState& state) {
  Random& random = state.random();
  const Axis table = state.any_axis(), picks = state.any_axis();
  const bool rows = random.chance(0.5);
  const Axis width = rows ? state.any_axis() : state.axis(1);
  const DataType type = state.element_type();
  const Tensor source = state.input(rows ? std::vector{table, width} : std::vector{table}, type);
  const Tensor positions = state.input({picks}, state.integer_type());
  Tensor result = state.result(rows ? std::vector{picks, width} : std::vector{picks}, type);
  const auto iterators = spatial_iterators(result.axes);
  block_in_loops(
      state, state.fresh_name("gather"), iterators, [&](BlockBuilder&, const std::vector<Var>& vars) {
        std::vector<Expr> from = {position(state, positions, {vars[0]}, table)};
        if (rows) from.push_back(vars[1]);
        state.builder().store(result.buffer, {vars.begin(), vars.end()}, make_load(source.buffer, from));
      });
  state.publish(std::move(result));
}

void scatter_stage(ProgramState& state) {
  Random& random = state.random();
  const Axis bins = state.any_axis(), items = state.any_axis();
  const DataType type = random.chance(0.5) ? state.integer_type() : state.float_type();
  const Tensor positions = state.input({items}, state.integer_type());
  Tensor result = state.result({bins}, type);
  FunctionBuilder& f = state.builder();
  const auto fill = spatial_iterators({bins});
  block_in_loops(state, state.fresh_name("clear"), fill, [&](BlockBuilder&, const std::vector<Var>& vars) {
    f.store(result.buffer, {vars[0]}, make_const(0, type));
  });
  // Two items may meet in one bin: their order is the program's.
  const std::vector<IteratorSpec> iterators = {
      {"v0", items, random.chance(0.5) ? IteratorKind::ordered : IteratorKind::opaque}};
  block_in_loops(state, state.fresh_name("scatter"), iterators,
                 [&](BlockBuilder&, const std::vector<Var>& vars) {
                   Scope scope = scope_of(iterators, vars);
                   ValueWriter values(state, scope);
                   const Value x = values.clamped(values.value(type, 1), 2);
                   const Expr bin = position(state, positions, {vars[0]}, bins);
                   f.store(result.buffer, {bin}, make_load(result.buffer, {bin}) + x.expr);
                 });
  result.magnitude = 2.0 * static_cast<double>(items.nominal) + 16;
  state.publish(std::move(result));
}

}  // namespace ardea::random_programs
