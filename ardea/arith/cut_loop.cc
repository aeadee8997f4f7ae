#include "ardea/arith/cut_loop.h"

#include "ardea/ir/substitute.h"

namespace ardea::arith {

std::vector<For> cut_loop(const For& loop, const std::vector<Expr>& points,
                          const std::vector<std::string>& names, const Analyzer& facts) {
  std::vector<For> parts;
  for (std::size_t i = 0; i <= points.size(); ++i) {
    const Expr start = i == 0 ? make_int(0, loop.var.type()) : points[i - 1];
    const Expr end = i == points.size() ? loop.extent : points[i];
    For part = loop;
    part.var = Var(names.at(i), loop.var.type());
    part.min = make_int(0, loop.var.type());
    part.extent = facts.simplify(end - start);
    part.body = substitute(loop.body, loop.var, facts.simplify(loop.min + start) + part.var);
    if (i > 0) part.body = fresh_copy(part.body);
    parts.push_back(std::move(part));
  }
  return parts;
}

std::vector<For> cut_whole_rounds(const For& loop, const Expr& round, const std::vector<std::string>& names,
                                  const Analyzer& facts) {
  std::vector<For> parts = cut_loop(loop, {floor_div(loop.extent, round) * round}, names, facts);
  // n - n // round · round, in the form that is seen to be less than a round.
  parts[1].extent = facts.simplify(floor_mod(loop.extent, round));
  return parts;
}

}  // namespace ardea::arith
