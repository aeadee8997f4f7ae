#include "tests/random/loop_nests.h"
#include "tests/random/random_values.h"
#include "tests/random/stages.h"

namespace ardea::random_programs {

namespace {

Expr parts(const ProgramState& state, const Axis& axis, std::int64_t factor) {
  if (axis.size) return state.index((*axis.size + factor - 1) / factor);
  return floor_div(axis.extent + (factor - 1), factor);
}

bool divides(std::int64_t factor, const Axis& axis) { return axis.size && *axis.size % factor == 0; }

}  // namespace

/// for t: block tile { memory of its own; for i: block fill; for i: block use }
void tiled_stage(ProgramState& state) {
  Random& random = state.random();
  FunctionBuilder& f = state.builder();
  const Axis axis = state.any_axis();
  const std::int64_t factor = random.integer(1, 4);
  const Axis tile = state.axis(factor), tiles = state.axis(parts(state, axis, factor), 3);
  const DataType type = state.element_type();
  Tensor result = state.result({axis}, type);
  const bool local_memory = random.chance(0.7);
  const auto outer = spatial_iterators({tiles});
  block_in_loops(state, state.fresh_name("tile"), outer, [&](BlockBuilder&, const std::vector<Var>& at) {
    const auto inner_block = [&](const std::string& stem, const auto& body) {
      f.loop("ii", state.index(0), tile.extent, [&](const Var& loop) {
        f.block(state.fresh_name(stem), [&](BlockBuilder& inner) {
          const Var v = inner.spatial("vi", axis.extent, at[0] * factor + loop);
          if (!divides(factor, axis)) inner.where(at[0] * factor + loop < axis.extent);
          body(v);
        });
      });
    };
    const auto fresh_value = [&](const Var& v) {
      ValueWriter values(state, Scope{{{v, axis}}});
      const Value x = values.stored(type, 2);
      result.magnitude = std::max(result.magnitude, x.magnitude);
      return x.expr;
    };
    if (!local_memory)
      return inner_block("inner", [&](const Var& v) { f.store(result.buffer, {v}, fresh_value(v)); });
    const Buffer local = f.allocate(state.fresh_name("L"), {axis.extent}, type);
    inner_block("fill", [&](const Var& v) { f.store(local, {v}, fresh_value(v)); });
    inner_block("use", [&](const Var& v) { f.store(result.buffer, {v}, make_load(local, {v})); });
  });
  state.publish(std::move(result));
}

/// One block a row; inside it the row of the source and of the result are buffers of one dimension.
void matched_stage(ProgramState& state) {
  Random& random = state.random();
  FunctionBuilder& f = state.builder();
  const Axis rows = state.any_axis(), columns = state.any_axis();
  const DataType type = state.element_type();
  const Tensor source = state.input({rows, columns}, type);
  Tensor result = state.result({rows, columns}, type);
  const auto outer = spatial_iterators({rows});
  block_in_loops(state, state.fresh_name("row"), outer, [&](BlockBuilder& block, const std::vector<Var>& at) {
    const auto row_of = [&](const Buffer& b) {
      return BufferRegion{b, {{at[0], state.index(1)}, {state.index(0), columns.extent}}};
    };
    const Buffer from = block.match(state.fresh_name("M"), row_of(source.buffer), {columns.extent});
    const Buffer to = block.match(state.fresh_name("M"), row_of(result.buffer), {columns.extent});
    const bool backwards = random.chance(0.4);
    const auto element = [&](const Expr& v) {
      return make_load(from, {backwards ? columns.extent - state.index(1) - v : v});
    };
    if (random.chance(0.5)) {
      f.loop("j", state.index(0), columns.extent, [&](const Var& j) { f.store(to, {j}, element(j)); });
      return;
    }
    f.loop("j", state.index(0), columns.extent, [&](const Var& j) {
      f.block(state.fresh_name("cell"), [&](BlockBuilder& inner) {
        const Var v = inner.spatial("vj", columns.extent, j);
        f.store(to, {v}, element(v));
      });
    });
  });
  state.publish(std::move(result));
}

/// for i: { for j: block produce; for j: block consume }, where the producer's memory is allocated outside
/// but a few rows of it are alive at a time. With a halo the producer computes rows again that a neighbour
/// computed before.
void fused_stage(ProgramState& state) {
  Random& random = state.random();
  FunctionBuilder& f = state.builder();
  const Axis rows = state.any_axis(), columns = state.any_axis();
  const std::int64_t halo = random.integer(0, 2);
  const Axis produced_rows = rows.size   ? state.axis(*rows.size + halo)
                             : halo == 0 ? rows
                                         : state.axis(rows.extent + halo, rows.nominal + halo);
  const DataType type =
      state.random().chance(0.6) || state.smooth() ? state.float_type() : state.integer_type();
  const Buffer between = f.allocate(state.fresh_name("P"), {produced_rows.extent, columns.extent}, type);
  Tensor result = state.result({rows, columns}, type);
  const ForKind kind = state.options().transformed_loops && halo == 0 && random.chance(0.3)
                           ? ForKind::parallel
                           : ForKind::serial;
  f.loop(
      "i", state.index(0), rows.extent,
      [&](const Var& i) {
        const auto produce = [&](const Expr& row) {
          f.loop("j", state.index(0), columns.extent, [&](const Var& j) {
            f.block(state.fresh_name("produce"), [&](BlockBuilder& block) {
              const Var vi = block.spatial("vi", produced_rows.extent, row),
                        vj = block.spatial("vj", columns.extent, j);
              ValueWriter values(state, Scope{{{vi, produced_rows}, {vj, columns}}});
              f.store(between, {vi, vj}, values.clamped(values.value(type, 2), 4).expr);
            });
          });
        };
        if (halo == 0)
          produce(i);
        else
          f.loop("h", state.index(0), state.index(halo + 1), [&](const Var& h) { produce(i + h); });
        f.loop("j", state.index(0), columns.extent, [&](const Var& j) {
          f.block(state.fresh_name("consume"), [&](BlockBuilder& block) {
            const Var vi = block.spatial("vi", rows.extent, i), vj = block.spatial("vj", columns.extent, j);
            Expr sum = make_load(between, {vi, vj});
            for (std::int64_t h = 1; h <= halo; ++h) sum = sum + make_load(between, {vi + h, vj});
            f.store(result.buffer, {vi, vj}, sum);
          });
        });
      },
      kind);
  result.magnitude = 16;
  state.publish(std::move(result));
}

}  // namespace ardea::random_programs
