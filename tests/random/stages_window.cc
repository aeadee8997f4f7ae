#include <algorithm>

#include "ardea/ir/intrinsics.h"
#include "tests/random/loop_nests.h"
#include "tests/random/random_values.h"
#include "tests/random/stages.h"

namespace ardea::random_programs {

namespace {

/// A window that slides along one dimension.
struct Window {
  Axis source, padded, kernel, moved;  ///< moved: how many places the window takes
  std::int64_t before = 0, stride = 1, dilation = 1;
};

Axis longer(const ProgramState& state, const Axis& axis, std::int64_t by) {
  if (axis.size) return state.axis(*axis.size + by);
  return by == 0 ? axis : state.axis(axis.extent + by, axis.nominal + by);
}

Window draw_window(ProgramState& state) {
  Random& random = state.random();
  Window w;
  w.source = state.any_axis();
  const std::int64_t taps = random.integer(1, 3);
  w.dilation = random.integer(1, 2);
  w.kernel = state.axis(taps);
  const std::int64_t reach = (taps - 1) * w.dilation;
  w.before = random.integer(0, reach);
  // At least as much padding as the window reaches, so that every source has a place for it.
  const std::int64_t after = reach - w.before + random.integer(0, 1);
  w.padded = longer(state, w.source, w.before + after);
  w.moved = longer(state, w.source, w.before + after - reach);
  if (w.moved.size && random.chance(0.5)) {
    w.stride = random.integer(2, 3);
    w.moved = state.axis((*w.moved.size - 1) / w.stride + 1);
  }
  return w;
}

/// The source with a border: P[v] = source[v - before] inside, else a constant.
Tensor padded_copy(ProgramState& state, const Tensor& source, const std::vector<Window>& windows) {
  std::vector<Axis> axes;
  for (std::size_t d = 0; d < source.axes.size(); ++d)
    axes.push_back(d < windows.size() ? windows[d].padded : source.axes[d]);
  const bool was_last = state.last_stage;
  state.last_stage = false;
  Tensor padded = state.result(axes, source.buffer->type);
  state.last_stage = was_last;
  padded.magnitude = source.magnitude;
  const auto iterators = spatial_iterators(axes);
  const Expr border = make_cast(
      source.buffer->type, make_const(state.random().integer(0, 1), computing_type(source.buffer->type)));
  block_in_loops(state, state.fresh_name("pad"), iterators, [&](BlockBuilder&, const std::vector<Var>& vars) {
    std::vector<Expr> from(vars.begin(), vars.end());
    Expr inside;
    const auto also = [&](const Expr& condition) {
      inside = inside.defined() ? logical_and(inside, condition) : condition;
    };
    for (std::size_t d = 0; d < windows.size(); ++d) {
      const Window& w = windows[d];
      also(vars[d] >= state.index(w.before));
      also(vars[d] < w.source.extent + w.before);
      from[d] = vars[d] - w.before;
    }
    const Expr loaded = make_load(source.buffer, from);
    const DataType type = loaded.type(), wide = computing_type(type);
    // Storage types are not for if_then_else: both sides are widened, the result narrowed again.
    const Expr chosen = make_call("if_then_else", {inside, make_cast(wide, loaded), make_cast(wide, border)});
    state.builder().store(padded.buffer, {vars.begin(), vars.end()}, make_cast(type, chosen));
  });
  return padded;
}

/// Sum of products with weights (a convolution), or the extreme of the window (a pooling).
void window_reduction(ProgramState& state, const Tensor& padded, const std::vector<Window>& windows) {
  Random& random = state.random();
  const bool pooling = random.chance(0.4);
  const DataType type = random.chance(0.7) || state.smooth() ? state.float_type() : state.integer_type();
  const DataType computed =
      padded.buffer->type.is_float() || !type.is_float() || !state.smooth() ? type : float32;
  std::vector<Axis> kept, taps;
  for (const Window& w : windows) kept.push_back(w.moved), taps.push_back(w.kernel);
  for (std::size_t d = windows.size(); d < padded.axes.size(); ++d) kept.push_back(padded.axes[d]);
  std::optional<Tensor> weights;
  if (!pooling) weights = state.input(taps, random.chance(0.5) ? computed : state.element_type());
  if (weights && state.smooth() && weights->buffer->type.is_float() != computed.is_float() &&
      !computed.is_float())
    weights = state.input(taps, computed);
  Tensor result = state.result(kept, computed);
  auto iterators = spatial_iterators(kept);
  for (std::size_t d = 0; d < taps.size(); ++d)
    iterators.push_back({"k" + std::to_string(d), taps[d], IteratorKind::reduce});
  block_in_loops(
      state, state.fresh_name("window"), iterators, [&](BlockBuilder& block, const std::vector<Var>& vars) {
        FunctionBuilder& f = state.builder();
        ValueWriter values(state, scope_of(iterators, vars));
        const std::vector<Expr> place(vars.begin(), vars.begin() + std::ssize(kept));
        std::vector<Expr> from = place, tap;
        for (std::size_t d = 0; d < windows.size(); ++d) {
          const Var& k = vars[kept.size() + d];
          const Expr corner = windows[d].stride == 1 ? Expr(vars[d]) : vars[d] * windows[d].stride;
          from[d] = corner + (windows[d].dilation == 1 ? Expr(k) : k * windows[d].dilation);
          tap.push_back(k);
        }
        const Value x =
            values.clamped(values.converted({make_load(padded.buffer, from), padded.magnitude}, computed), 8);
        const Expr before = make_load(result.buffer, place);
        result.magnitude = 1000;
        if (pooling) {
          block.init(
              [&] { f.store(result.buffer, place, make_const(computed.is_uint() ? 0 : -100, computed)); });
          f.store(result.buffer, place, max(before, x.expr));
        } else {
          const Value w = values.clamped(values.converted({make_load(weights->buffer, tap)}, computed), 8);
          block.init([&] { f.store(result.buffer, place, make_const(0, computed)); });
          f.store(result.buffer, place, before + x.expr * w.expr);
        }
      });
  state.publish(std::move(result));
}

}  // namespace

void padded_window_stage(ProgramState& state) {
  Random& random = state.random();
  std::vector<Window> windows = {draw_window(state)};
  if (random.chance(0.4)) windows.push_back(draw_window(state));
  std::vector<Axis> axes;
  for (const Window& w : windows) axes.push_back(w.source);
  if (random.chance(0.4)) axes.push_back(state.axis(random.integer(1, 3)));  // channels
  DataType type = state.element_type();
  if (state.smooth() && !type.is_float()) type = state.float_type();
  if (type.is_bool()) type = int8;
  const Tensor source = state.input(axes, type);
  const Tensor padded = padded_copy(state, source, windows);
  window_reduction(state, padded, windows);
  state.publish(padded);  // a second consumer may read it
}

void stencil_stage(ProgramState& state) {
  Random& random = state.random();
  const Axis inner = state.any_axis();
  const std::int64_t reach = random.integer(1, 3);
  std::vector<Axis> from = {longer(state, inner, reach)}, to = {inner};
  if (random.chance(0.5)) {
    const Axis other = state.any_axis();
    from.push_back(other), to.push_back(other);
  }
  const DataType type = random.chance(0.6) || state.smooth() ? state.float_type() : state.integer_type();
  const Tensor source = state.input(from, type);
  Tensor result = state.result(to, type);
  const auto iterators = spatial_iterators(to);
  block_in_loops(
      state, state.fresh_name("stencil"), iterators, [&](BlockBuilder&, const std::vector<Var>& vars) {
        ValueWriter values(state, scope_of(iterators, vars));
        Expr sum;
        for (std::int64_t shift = 0; shift <= reach; ++shift) {
          std::vector<Expr> at(vars.begin(), vars.end());
          if (shift > 0) at[0] = vars[0] + shift;
          const Expr x = make_load(source.buffer, at);
          const Expr weighted = random.chance(0.5) ? x : x * make_const(type.is_uint() ? 3 : -2, type);
          sum = sum.defined() ? sum + weighted : weighted;
        }
        result.magnitude = 8;
        state.builder().store(result.buffer, {vars.begin(), vars.end()}, values.clamped({sum, 16}, 8).expr);
      });
  state.publish(std::move(result));
}

void border_stage(ProgramState& state) {
  Random& random = state.random();
  std::vector<Axis> axes = {state.any_axis()};
  if (random.chance(0.4)) axes.insert(axes.begin(), state.any_axis());
  const DataType type = random.chance(0.6) || state.smooth() ? state.float_type() : state.integer_type();
  // A line may come from a stack of lines, whose numbers are written out; a row has rows beside it.
  std::vector<Axis> read = axes;
  const std::int64_t stacked = axes.size() == 1 && random.chance(0.6) ? random.integer(2, 3) : 0;
  if (stacked > 0) read.insert(read.begin(), state.axis(stacked));
  std::vector<Tensor> sources = {state.input(read, type)};
  if (random.chance(0.4)) sources.push_back(state.input(read, type));
  Tensor result = state.result(axes, type);
  const auto iterators = spatial_iterators(axes);
  block_in_loops(
      state, state.fresh_name("border"), iterators, [&](BlockBuilder&, const std::vector<Var>& vars) {
        ValueWriter values(state, scope_of(iterators, vars));
        std::vector<std::vector<Expr>> rows = {{vars.begin(), vars.end() - 1}};
        if (stacked > 0) rows = {{state.index(0)}, {state.index(1)}};
        if (stacked > 2) rows.push_back({state.index(2)});
        const std::int64_t beside = axes.size() > 1 ? random.integer(0, 2) : 0;
        for (std::int64_t r = 0; r < beside; ++r) rows.push_back({values.bent(vars[0], axes[0])});
        Expr sum;
        double magnitude = 0;
        const std::int64_t taps = random.integer(1, 2);
        for (std::int64_t tap = 0; tap < taps; ++tap) {
          // Where all lanes read one element of each row and source, these are still several elements.
          const Expr column = values.bent(vars.back(), axes.back());
          Expr all;
          for (std::vector<Expr> at : rows) {
            at.push_back(column);
            for (const Tensor& source : sources) {
              const Expr x = make_load(source.buffer, at);
              all = all.defined() ? all + x : x;
              magnitude += 2;
            }
          }
          const Expr weighted = random.chance(0.5) ? all : all * make_const(type.is_uint() ? 3 : -2, type);
          sum = sum.defined() ? sum + weighted : weighted;
        }
        result.magnitude = 8;
        state.builder().store(result.buffer, {vars.begin(), vars.end()},
                              values.clamped({sum, magnitude}, 8).expr);
      });
  state.publish(std::move(result));
}

}  // namespace ardea::random_programs
