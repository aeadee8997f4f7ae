#include "tests/random/loop_nests.h"
#include "tests/random/random_values.h"
#include "tests/random/stages.h"

namespace ardea::random_programs {

/// Row by row, `lanes` elements at a time; the lanes past the end of a row are masked.
void vector_stage(ProgramState& state) {
  Random& random = state.random();
  const Axis row = state.fixed_axis();
  const std::int64_t lanes = random.pick(std::vector<std::int64_t>{2, 3, 4, 8});
  const Axis vectors = state.axis((*row.size + lanes - 1) / lanes);
  std::vector<Axis> axes = {row}, walked = {vectors};
  if (random.chance(0.5)) {
    const Axis outer = state.any_axis();
    axes.insert(axes.begin(), outer), walked.insert(walked.begin(), outer);
  }
  Tensor result = state.result(axes, state.element_type());
  const auto iterators = spatial_iterators(walked);
  block_in_loops(state, state.fresh_name("vector"), iterators,
                 [&](BlockBuilder&, const std::vector<Var>& vars) {
                   const Expr ramp = make_ramp(vars.back() * lanes, state.index(1), lanes);
                   Expr mask;
                   if (*row.size % lanes != 0)
                     mask = make_binary(BinaryOp::lt, ramp, make_int(*row.size, ramp.type()));
                   Scope scope{{{ramp, row}}};
                   if (vars.size() > 1) scope.indices.push_back({vars[0], axes[0]});
                   ValueWriter values(state, scope, {static_cast<int>(lanes), mask});
                   const Value x = values.stored(result.buffer->type, static_cast<int>(random.integer(1, 3)));
                   result.magnitude = x.magnitude;
                   std::vector<Expr> place = {ramp};
                   if (vars.size() > 1) place.insert(place.begin(), vars[0]);
                   state.builder().store(result.buffer, place, x.expr, mask);
                 });
  state.publish(std::move(result));
}

}  // namespace ardea::random_programs
