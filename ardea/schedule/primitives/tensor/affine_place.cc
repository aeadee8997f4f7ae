#include "ardea/schedule/primitives/tensor/affine_place.h"

#include "ardea/ir/layout.h"
#include "ardea/ir/substitute.h"

namespace ardea::schedule {

namespace {

Expr place_of(const Buffer& buffer, const std::vector<Expr>& indices) {
  const std::vector<Expr> strides = strides_of(buffer);
  Expr place = make_int(0);
  for (std::size_t d = 0; d < indices.size(); ++d)
    place = add_index(place, multiply_index(indices[d], strides[d]));
  return place;
}

}  // namespace

std::optional<AffinePlace> affine_place(const Buffer& buffer, const std::vector<Expr>& indices,
                                        const std::vector<For>& loops, const arith::Analyzer& facts) {
  const Expr place = place_of(buffer, indices);
  Substitution at_start;
  for (const For& loop : loops) at_start[loop.var] = loop.min;
  AffinePlace found{facts.simplify(substitute(place, at_start)), {}};
  arith::Analyzer inside = facts;
  for (const For& loop : loops) inside.bind(loop.var, {loop.min, loop.extent});
  Expr sum = found.start;
  for (const For& loop : loops) {
    Substitution next = at_start;
    next[loop.var] = loop.min + 1;
    found.steps.push_back(is_one(loop.extent) ? make_int(0)
                                              : facts.simplify(substitute(place, next) - found.start));
    sum = sum + found.steps.back() * (as_index(loop.var) - as_index(loop.min));
  }
  if (!inside.proves(equals(place, sum))) return std::nullopt;
  return found;
}

}  // namespace ardea::schedule
