#include <algorithm>

#include "tests/random/program_state.h"
#include "tests/random/random_values.h"

namespace ardea::random_programs {

namespace {

/// Writes from the inside out: the statements of a stage, and after them those of the later stages, which see
/// what the stage has allocated and declared.
class LoweredWriter {
 public:
  explicit LoweredWriter(ProgramState& state) : state_(state), random_(state.random()) {}

  Stmt write(std::int64_t stages) {
    const bool last = stages == 1;
    const DataType type = state_.element_type();
    const Axis rows = state_.any_axis(), columns = state_.fixed_axis();
    const bool two_dimensional = random_.chance(0.6);
    const std::vector<Axis> axes = two_dimensional ? std::vector{rows, columns} : std::vector{rows};
    if (last || random_.chance(0.3)) {
      Tensor result = state_.result(axes, type, true);
      return make_seq(with_rest({fill(result)}, result, stages));
    }
    const Var memory(state_.fresh_name("memory"), handle_type);
    Tensor result{view(memory, type, axes), axes};
    std::vector<Stmt> body = {fill(result)};
    if (two_dimensional && random_.chance(0.8)) body.push_back(through_a_view(result));
    Allocate allocate{memory, type, {total(axes)}};
    allocate.body = DeclareBuffer{result.buffer, make_seq(with_rest(std::move(body), result, stages))};
    return allocate;
  }

 private:
  std::vector<Stmt> with_rest(std::vector<Stmt> statements, const Tensor& result, std::int64_t stages) {
    state_.publish(result);
    if (random_.chance(0.3)) statements.push_back(assertion());
    if (stages > 1) statements.push_back(write(stages - 1));
    return statements;
  }

  Expr total(const std::vector<Axis>& axes) {
    Expr product = state_.index(1);
    bool fixed = true;
    std::int64_t size = 1;
    for (const Axis& axis : axes) {
      fixed = fixed && axis.size;
      size *= axis.nominal;
      product = product * axis.extent;
    }
    return fixed ? state_.index(size) : product;
  }

  Buffer view(const Var& memory, DataType type, const std::vector<Axis>& axes) {
    BufferNode node;
    node.name = state_.fresh_name("T");
    node.data = memory;
    node.type = type;
    for (const Axis& axis : axes) node.shape.push_back(axis.extent);
    return Buffer(std::move(node));
  }

  Stmt assertion() {
    const Expr extent = state_.any_axis().extent;
    return Assert{extent >= state_.index(1), "an extent is at least 1"};
  }

  // --- loops ---

  ForKind loop_kind(bool fixed) {
    const double draw = state_.options().transformed_loops ? random_.real() : 1;
    if (draw < 0.12) return ForKind::parallel;
    if (draw < 0.22 && fixed) return ForKind::vectorized;
    if (draw < 0.32 && fixed) return ForKind::unrolled;
    return ForKind::serial;
  }

  using Element = std::function<Stmt(const std::vector<Index>&)>;

  /// `element` once for every index of the axes, in loops of one of the forms that lowering leaves behind.
  Stmt each(const std::vector<Axis>& axes, const Element& element) {
    const double draw = state_.options().transformed_loops ? random_.real() : 1;
    if (draw < 0.25 && axes.size() == 2) return fused(axes, element);
    if (draw < 0.5 && axes.size() == 1) return split(axes[0], element);
    return nested(axes, {}, element);
  }

  Stmt nested(const std::vector<Axis>& axes, std::vector<Index> outer, const Element& element) {
    if (outer.size() == axes.size()) return element(outer);
    const Axis& axis = axes[outer.size()];
    const Var var(state_.fresh_name("i"), state_.index_type());
    outer.push_back({var, axis});
    Stmt body = nested(axes, outer, element);
    return make_for(var, state_.index(0), axis.extent, std::move(body), loop_kind(axis.size.has_value()));
  }

  Stmt fused(const std::vector<Axis>& axes, const Element& element) {
    const Var var(state_.fresh_name("i"), state_.index_type());
    const Var row(state_.fresh_name("cse_var"), state_.index_type());
    const Expr column = floor_mod(var, axes[1].extent);
    Stmt body = LetStmt{row, floor_div(var, axes[1].extent), element({{row, axes[0]}, {column, axes[1]}})};
    return make_for(var, state_.index(0), total(axes), std::move(body), loop_kind(false));
  }

  Stmt split(const Axis& axis, const Element& element) {
    const std::int64_t factor = random_.integer(2, 4);
    const Var outer(state_.fresh_name("o"), state_.index_type()),
        inner(state_.fresh_name("i"), state_.index_type());
    const Expr at = outer * factor + inner;
    const Expr parts = axis.size ? state_.index((*axis.size + factor - 1) / factor)
                                 : floor_div(axis.extent + (factor - 1), factor);
    Stmt body = make_if(at < axis.extent, element({{at, axis}}));
    body = make_for(inner, state_.index(0), state_.index(factor), std::move(body), loop_kind(true));
    return make_for(outer, state_.index(0), parts, std::move(body), loop_kind(false));
  }

  // --- statements ---

  static std::vector<Expr> place(const std::vector<Index>& at) {
    std::vector<Expr> indices;
    for (const Index& index : at) indices.push_back(index.value);
    return indices;
  }

  Stmt fill(Tensor& result) {
    const double draw = random_.real();
    if (draw < 0.25 && state_.options().vector_code && result.axes.back().size)
      return fill_by_vectors(result);
    const DataType type = result.buffer->type;
    if (draw < 0.5 && computing_type(type) == type && !type.is_bool()) return accumulate(result);
    return each(result.axes, [&](const std::vector<Index>& at) -> Stmt {
      ValueWriter values(state_, Scope{at});
      const Value x = values.stored(type, static_cast<int>(random_.integer(1, 3)));
      result.magnitude = std::max(result.magnitude, x.magnitude);
      return make_store(result.buffer, place(at), x.expr);
    });
  }

  Stmt accumulate(Tensor& result) {
    const DataType type = result.buffer->type;
    const Axis terms = state_.fixed_axis();
    return each(result.axes, [&](const std::vector<Index>& at) -> Stmt {
      const Var k(state_.fresh_name("k"), state_.index_type());
      Scope scope{at};
      scope.indices.push_back({k, terms});
      ValueWriter values(state_, scope);
      const Value x = values.clamped(values.value(type, 2), 4);
      result.magnitude = std::max(result.magnitude, x.magnitude * static_cast<double>(terms.nominal));
      const Expr before = make_load(result.buffer, place(at));
      Stmt add =
          make_for(k, state_.index(0), terms.extent, make_store(result.buffer, place(at), before + x.expr));
      return make_seq({make_store(result.buffer, place(at), make_const(0, type)), add});
    });
  }

  Stmt fill_by_vectors(Tensor& result) {
    const Axis row = result.axes.back();
    const std::int64_t lanes = random_.pick(std::vector<std::int64_t>{2, 4, 5});
    std::vector<Axis> walked = result.axes;
    walked.back() = state_.axis((*row.size + lanes - 1) / lanes);
    return nested(walked, {}, [&](const std::vector<Index>& at) -> Stmt {
      const Expr ramp = make_ramp(at.back().value * lanes, state_.index(1), lanes);
      Expr mask;
      if (*row.size % lanes != 0) mask = make_binary(BinaryOp::lt, ramp, make_int(*row.size, ramp.type()));
      std::vector<Index> indices = at;
      indices.back() = {ramp, row};
      ValueWriter values(state_, Scope{indices}, {static_cast<int>(lanes), mask});
      const Value x = values.stored(result.buffer->type, 2);
      result.magnitude = std::max(result.magnitude, x.magnitude);
      return make_store(result.buffer, place(indices), x.expr, mask);
    });
  }

  /// Changes the first or the last row through a second view of the memory: flat, or a row with an offset.
  Stmt through_a_view(const Tensor& tensor) {
    const Axis &rows = tensor.axes[0], &columns = tensor.axes[1];
    const bool offset = random_.chance(0.5);
    BufferNode node = *tensor.buffer;
    node.name = state_.fresh_name("view");
    node.shape = {offset ? columns.extent : total(tensor.axes)};
    if (offset) {
      node.strides = {state_.index(1)};
      node.element_offset = (rows.extent - state_.index(1)) * columns.extent;
    }
    const Buffer other(std::move(node));
    Stmt body = nested({columns}, {}, [&](const std::vector<Index>& at) -> Stmt {
      const Expr x = make_load(other, place(at));
      const DataType type = x.type(), wide = computing_type(type);
      if (type.is_bool()) return make_store(other, place(at), logical_not(x));
      return make_store(other, place(at), make_cast(type, -make_cast(wide, x)));
    });
    return DeclareBuffer{other, std::move(body)};
  }

  ProgramState& state_;
  Random& random_;
};

}  // namespace

Function random_lowered_program(Random& random, const RandomProgramOptions& options) {
  ProgramState state(random, options, "random_lowered_program");
  const Stmt body = LoweredWriter(state).write(random.integer(1, std::max(1, options.most_stages - 1)));
  Function f = state.builder().build();
  f.body = body;
  return f;
}

}  // namespace ardea::random_programs
