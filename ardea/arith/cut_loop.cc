#include "ardea/arith/cut_loop.h"

#include "ardea/ir/substitute.h"

namespace ardea::arith {

std::pair<For, For> cut_range(const For& loop, const Expr& point, const Analyzer& facts) {
  For below = loop, from = loop;
  below.extent = facts.simplify(point - loop.min);
  from.min = facts.simplify(point);
  from.extent = facts.simplify(loop.min + loop.extent - point);
  return {below, from};
}

namespace {

/// The same iterations, counted from 0.
For from_zero(For loop, const std::string& name) {
  const Var var(name, loop.var.type());
  loop.body = substitute(loop.body, loop.var, loop.min + var);
  loop.min = make_int(0, var.type());
  loop.var = var;
  return loop;
}

}  // namespace

std::vector<For> cut_loop(const For& loop, const std::vector<Expr>& points,
                          const std::vector<std::string>& names, const Analyzer& facts) {
  std::vector<For> parts;
  For rest = loop;
  rest.min = facts.simplify(loop.min);
  for (const Expr& point : points) {
    auto [below, from] = cut_range(rest, loop.min + point, facts);
    parts.push_back(std::move(below));
    rest = std::move(from);
  }
  parts.push_back(std::move(rest));
  for (std::size_t i = 0; i < parts.size(); ++i) {
    parts[i] = from_zero(std::move(parts[i]), names.at(i));
    if (i > 0) parts[i].body = fresh_copy(parts[i].body);
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
