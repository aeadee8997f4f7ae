#include <cmath>
#include <limits>

#include "ardea/ir/intrinsics.h"
#include "tests/random/loop_nests.h"
#include "tests/random/random_values.h"
#include "tests/random/stages.h"

namespace ardea::random_programs {

namespace {

/// The types in which a reduction may run: what can be computed with, bool aside.
DataType accumulator_type(ProgramState& state) {
  return state.random().chance(0.6) ? state.float_type() : state.integer_type();
}

double lowest(DataType type) {
  if (type == float64) return -std::numeric_limits<double>::max();
  if (type == float32) return -std::numeric_limits<float>::max();
  return -60000;
}

Expr extreme(DataType type, bool highest) {
  if (type.is_float()) return make_float(highest ? -lowest(type) : lowest(type), type);
  const int bits = type.is_uint() ? type.bits : type.bits - 1;
  const std::int64_t top = bits == 64 ? -1 : static_cast<std::int64_t>((std::uint64_t{1} << bits) - 1);
  return make_int(highest ? top : type.is_uint() ? 0 : -top - 1, type);
}

struct Combination {
  BinaryOp op = BinaryOp::add;
  Expr identity;
};

Combination draw_combination(Random& random, DataType type) {
  const double draw = random.real();
  if (draw < 0.4) return {BinaryOp::add, make_const(0, type)};
  if (draw < 0.6) return {BinaryOp::mul, make_const(1, type)};
  if (draw < 0.8) return {BinaryOp::min, extreme(type, true)};
  return {BinaryOp::max, extreme(type, false)};
}

/// One term of the reduction, small enough that `terms` of them stay finite.
Value term(ValueWriter& values, DataType type, BinaryOp op, double terms) {
  Value x = values.value(type, 2);
  if (!type.is_float()) return x;
  x = values.clamped(x, op == BinaryOp::mul ? 1 : 8);
  x.magnitude = op == BinaryOp::add ? x.magnitude * terms : x.magnitude;
  return x;
}

double volume(const std::vector<Axis>& axes) {
  double product = 1;
  for (const Axis& axis : axes) product *= static_cast<double>(axis.nominal);
  return product;
}

/// Iterators over both lists, the reduced ones last or first.
std::vector<IteratorSpec> reduction_iterators(ProgramState& state, const std::vector<Axis>& kept,
                                              const std::vector<Axis>& reduced) {
  std::vector<IteratorSpec> iterators = spatial_iterators(kept);
  for (std::size_t i = 0; i < reduced.size(); ++i)
    iterators.push_back({"k" + std::to_string(i), reduced[i], IteratorKind::reduce});
  if (state.random().chance(0.2))
    std::rotate(iterators.begin(), iterators.begin() + std::ssize(kept), iterators.end());
  return iterators;
}

std::vector<Expr> kept_place(const std::vector<IteratorSpec>& iterators, const std::vector<Var>& vars) {
  std::vector<Expr> place;
  for (std::size_t i = 0; i < iterators.size(); ++i)
    if (iterators[i].kind == IteratorKind::spatial) place.push_back(vars[i]);
  return place;
}

}  // namespace

void reduction_stage(ProgramState& state) {
  Random& random = state.random();
  const auto kept = state.some_axes(static_cast<int>(random.integer(0, 2)), 150);
  const auto reduced = state.some_axes(static_cast<int>(random.integer(1, 2)), 60);
  const DataType type = accumulator_type(state);
  const Combination combination = draw_combination(random, type);
  // A reduction over everything leaves one element. Without an init it goes on from what an argument holds.
  const std::vector<Axis> axes = kept.empty() ? std::vector{state.axis(1)} : kept;
  const bool has_init = random.chance(0.85);
  Tensor result = has_init ? state.result(axes, type) : state.input(axes, type);
  const auto iterators = reduction_iterators(state, kept, reduced);
  block_in_loops(state, state.fresh_name("reduce"), iterators,
                 [&](BlockBuilder& block, const std::vector<Var>& vars) {
                   FunctionBuilder& f = state.builder();
                   std::vector<Expr> place = kept_place(iterators, vars);
                   if (place.empty()) place.push_back(state.index(0));
                   Scope scope = scope_of(iterators, vars);
                   scope.hidden = {result.buffer};
                   ValueWriter values(state, scope);
                   Expr start = combination.identity;
                   if (has_init && random.chance(0.2)) {  // a start that depends on the element
                     Scope outside{{}, {result.buffer}};
                     for (std::size_t i = 0; i < iterators.size(); ++i)
                       if (iterators[i].kind == IteratorKind::spatial)
                         outside.indices.push_back(scope.indices[i]);
                     ValueWriter starts(state, outside);
                     start = starts.clamped(starts.value(type, 1), 1).expr;
                   }
                   if (has_init) block.init([&] { f.store(result.buffer, place, start); });
                   const Value one = term(values, type, combination.op, volume(reduced) + 1);
                   result.magnitude = std::max(4.0, one.magnitude);
                   const Expr before = make_load(result.buffer, place);
                   f.store(result.buffer, place,
                           random.chance(0.8) ? make_binary(combination.op, before, one.expr)
                                              : make_binary(combination.op, one.expr, before));
                 });
  if (has_init) return state.publish(std::move(result));
  for (Tensor& tensor : state.tensors())
    if (tensor.buffer == result.buffer) tensor.magnitude = result.magnitude + 1;
}

void argument_of_best_stage(ProgramState& state) {
  Random& random = state.random();
  const auto kept = state.some_axes(static_cast<int>(random.integer(1, 2)), 150);
  const Axis reduced = state.any_axis();
  // A position must not depend on rounding.
  const DataType type = state.smooth() ? state.integer_type() : accumulator_type(state);
  const DataType position_type = random.chance(0.5) ? int32 : int64;
  Tensor best = state.result(kept, type), position = state.result(kept, position_type);
  const bool largest = random.chance(0.5);
  const auto iterators = reduction_iterators(state, kept, {reduced});
  block_in_loops(
      state, state.fresh_name("best"), iterators, [&](BlockBuilder& block, const std::vector<Var>& vars) {
        FunctionBuilder& f = state.builder();
        const std::vector<Expr> place = kept_place(iterators, vars);
        const Var k = iterators[0].kind == IteratorKind::reduce ? vars[0] : vars.back();
        ValueWriter values(state, scope_of(iterators, vars));
        const Value x = values.clamped(values.value(type, 2), 8);
        best.magnitude = 8;
        block.init([&] {
          f.store(position.buffer, place, make_int(-1, position_type));
          f.store(best.buffer, place, extreme(type, !largest));
        });
        const Expr before = make_load(best.buffer, place);
        const Expr better = make_binary(largest ? BinaryOp::gt : BinaryOp::lt, x.expr, before);
        f.store(position.buffer, place,
                make_select(better, make_cast(position_type, k), make_load(position.buffer, place)));
        f.store(best.buffer, place, make_binary(largest ? BinaryOp::max : BinaryOp::min, before, x.expr));
      });
  state.publish(std::move(best));
  state.publish(std::move(position));
}

void scan_stage(ProgramState& state) {
  Random& random = state.random();
  const auto axes = state.some_axes(static_cast<int>(random.integer(1, 2)), 150);
  const DataType type = accumulator_type(state);
  Tensor result = state.result(axes, type);
  auto iterators = spatial_iterators(axes);
  const auto along = static_cast<std::size_t>(random.integer(0, std::ssize(axes) - 1));
  iterators[along].kind = IteratorKind::ordered;
  block_in_loops(
      state, state.fresh_name("scan"), iterators, [&](BlockBuilder&, const std::vector<Var>& vars) {
        ValueWriter values(state, scope_of(iterators, vars));
        const std::vector<Expr> place(vars.begin(), vars.end());
        std::vector<Expr> before = place;
        before[along] = vars[along] - 1;
        const Value one = values.clamped(values.value(type, 2), 1);
        const Expr carried =
            make_call("if_then_else",
                      {vars[along] > state.index(0), make_load(result.buffer, before), make_const(0, type)});
        result.magnitude = static_cast<double>(axes[along].nominal) * 2 + 16;
        state.builder().store(result.buffer, place, carried + one.expr);
      });
  state.publish(std::move(result));
}

}  // namespace ardea::random_programs
