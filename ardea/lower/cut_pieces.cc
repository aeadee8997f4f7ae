#include "ardea/lower/cut_pieces.h"

#include "ardea/arith/cut_loop.h"
#include "ardea/ir/equal.h"
#include "ardea/ir/traverse.h"
#include "ardea/lower/facts.h"

namespace ardea::lower {

namespace {

using arith::Analyzer;

Stmt with_decided(const Stmt& s, const std::vector<std::pair<Expr, bool>>& decided) {
  if (decided.empty()) return s;
  return rewrite(s, [&](const Expr& e) -> std::optional<Expr> {
    for (const auto& [comparison, value] : decided)
      if (e == comparison) return make_bool(value);
    return std::nullopt;
  });
}

Stmt simplified(const For& loop, const Stmt& body, const Analyzer& facts) {
  return arith::simplify(body, inside(facts, loop), /*drop_unit_loops=*/true);
}

}  // namespace

GuardPoints points_of(std::vector<Guard> guards, const For& loop, const Analyzer& facts) {
  GuardPoints all;
  for (Guard& guard : guards) {
    std::vector<CutPoint> points = cut_points(guard, loop, facts);
    all.emplace_back(std::move(guard), std::move(points));
  }
  return all;
}

Cut cut_at(const Expr& point, const GuardPoints& guards) {
  Cut cut{point};
  for (const auto& [guard, points] : guards)
    for (const CutPoint& other : points) {
      if (!structurally_equal(other.point, point)) continue;
      if (other.below) cut.below.emplace_back(guard.comparison, *other.below);
      if (other.from) cut.from.emplace_back(guard.comparison, *other.from);
    }
  return cut;
}

std::pair<For, For> pieces(const For& loop, const Cut& cut, const Analyzer& facts) {
  const Expr end = facts.simplify(loop.min + loop.extent);
  Expr point = cut.point;
  if (!facts.proves(point <= end)) point = min(point, end);
  if (!facts.proves(point >= loop.min)) point = max(point, loop.min);
  auto [lower, upper] = arith::cut_range(loop, point, facts);
  lower.body = simplified(lower, with_decided(loop.body, cut.below), facts);
  upper.body = simplified(upper, with_decided(loop.body, cut.from), facts);
  return {lower, upper};
}

}  // namespace ardea::lower
