#include "ardea/cost/statement_shape.h"

namespace ardea::cost {

using Value = Formulas::Value;

StatementShape shape_here(Surroundings& surroundings) {
  Formulas& f = surroundings.formulas();
  const Value one = f.number(1);
  StatementShape shape{one, one, one, one};
  Value open = one;  // no loop that runs was met yet
  const std::vector<Around>& loops = surroundings.loops();
  for (std::size_t l = loops.size(); l-- > 0;) {
    const Around& loop = loops[l];
    if (loop.kind == ForKind::vectorized) {
      shape.elements = f.multiply(shape.elements, loop.extent);
      shape.vectors = f.multiply(shape.vectors, f.ceil_div(loop.extent, loop.lanes));
    } else if (loop.kind == ForKind::unrolled) {
      shape.unrolled = f.multiply(shape.unrolled, f.select(open, loop.extent, one));
    } else {
      const Value runs = f.more_than_one(loop.extent);
      shape.inner = f.select(f.multiply(open, runs), loop.extent, shape.inner);
      open = f.multiply(open, f.negation(runs));
    }
  }
  return shape;
}

Value inner_step(const Access& access, const StatementShape& shape, Surroundings& surroundings) {
  Formulas& f = surroundings.formulas();
  const Value zero = f.number(0);
  Value step = zero, vector_step = zero;
  Value is_found = zero, is_vector_found = zero;
  const std::vector<Around>& loops = surroundings.loops();
  for (std::size_t l = loops.size(); l-- > 0;) {
    const Value runs = f.more_than_one(loops[l].extent);
    if (loops[l].kind == ForKind::vectorized) {
      vector_step = f.select(is_vector_found, vector_step, f.multiply(runs, access.steps[l]));
      is_vector_found = f.max(is_vector_found, runs);
    }
    step = f.select(is_found, step, f.multiply(runs, access.steps[l]));
    is_found = f.max(is_found, runs);
  }
  return f.select(f.more_than_one(shape.elements), vector_step, step);
}

Value kept_share(const Access& access, Surroundings& surroundings) {
  Formulas& f = surroundings.formulas();
  const Value zero = f.number(0), one = f.number(1);
  Value share = one, open = one;
  const std::vector<Around>& loops = surroundings.loops();
  for (std::size_t l = loops.size(); l-- > 0;) {
    const Around& loop = loops[l];
    if (loop.kind == ForKind::vectorized) continue;
    const Value stays = l < access.outside ? zero : f.multiply(open, f.equal(access.steps[l], zero));
    share = f.select(stays, f.divide(share, loop.extent), share);
    if (loop.kind != ForKind::unrolled) open = f.multiply(open, f.negation(f.more_than_one(loop.extent)));
  }
  return share;
}

Value chains_of(const Access& sum, const StatementShape& shape, Surroundings& surroundings) {
  Formulas& f = surroundings.formulas();
  const Value zero = f.number(0), one = f.number(1);
  Value chains = shape.vectors, open = one, waits = zero;
  const std::vector<Around>& loops = surroundings.loops();
  for (std::size_t l = loops.size(); l-- > 0;) {
    const Around& loop = loops[l];
    if (loop.kind == ForKind::vectorized) continue;
    const Value runs = f.multiply(open, f.more_than_one(loop.extent));
    const Value moves = l < sum.outside ? one : f.negation(f.equal(sum.steps[l], zero));
    if (loop.kind == ForKind::unrolled) {
      chains = f.select(f.multiply(runs, moves), f.multiply(chains, loop.extent), chains);
    } else {
      waits = f.select(runs, f.negation(moves), waits);
      open = f.multiply(open, f.negation(runs));
    }
  }
  return f.multiply(chains, waits);
}

}  // namespace ardea::cost
