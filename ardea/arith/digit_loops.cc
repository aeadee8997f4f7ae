#include "ardea/arith/digit_loops.h"

#include <algorithm>

#include "ardea/ir/substitute.h"
#include "ardea/ir/traverse.h"

namespace ardea::arith {

namespace {

/// F = Σ weight · x over loops from 0 on, the lightest first, of weight 1.
struct FusedIndex {
  std::vector<LoopRange> loops;
  std::vector<Expr> weights;
  Expr length;  ///< product of the extents
};

/// A number and what it is divided by.
struct Division {
  Expr number, divisor;
};

std::vector<Division> divisions_in(const RepeatedRegion& access) {
  std::vector<Division> found;
  const auto look = [&](const Expr& e) {
    visit_exprs(e, [&](const Expr& part) {
      const auto* node = part.as<Binary>();
      if (node != nullptr && (node->op == BinaryOp::floor_div || node->op == BinaryOp::floor_mod) &&
          uses_any(node->left, access.loops) && !uses_any(node->right, access.loops))
        found.push_back({node->left, node->right});
    });
  };
  for (const Range& range : access.region.region) look(range.min);
  for (const Expr& condition : access.conditions) look(condition);
  return found;
}

/// e as such a sum; nothing where it is none, or has a part that the loops do not move.
std::optional<FusedIndex> fused_index(const Expr& e, const std::vector<LoopRange>& loops,
                                      const Analyzer& facts) {
  const auto coefficients = linear_coefficients(e, loops, facts);
  if (!coefficients) return std::nullopt;
  FusedIndex index{{}, {}, make_int(1)};
  Expr rest = as_index(e);
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < loops.size(); ++i) {
    if (is_zero((*coefficients)[i])) continue;
    const auto& [var, range] = loops[i];
    if (!is_zero(range.min) || uses_any(range.extent, loops)) return std::nullopt;
    rest = rest - as_index(var) * (*coefficients)[i];
    left.push_back(i);
  }
  const auto moves_a_range = [&](std::size_t i) {
    return std::any_of(loops.begin(), loops.end(), [&](const LoopRange& other) {
      return uses(other.second.min, loops[i].first) || uses(other.second.extent, loops[i].first);
    });
  };
  if (std::any_of(left.begin(), left.end(), moves_a_range)) return std::nullopt;
  while (!left.empty()) {
    const auto next = std::find_if(left.begin(), left.end(), [&](std::size_t i) {
      return facts.proves(equals((*coefficients)[i], index.length));
    });
    if (next == left.end()) return std::nullopt;
    index.loops.push_back(loops[*next]);
    index.weights.push_back(index.length);
    index.length = facts.simplify(index.length * as_index(loops[*next].second.extent));
    left.erase(next);
  }
  if (index.loops.empty() || !is_zero(facts.simplify(rest))) return std::nullopt;
  return index;
}

/// A multiple of q from which on the conditions hold nowhere, at most the length; the least that is found.
std::optional<Expr> end_of(const Expr& e, const FusedIndex& index, const Expr& q, const Analyzer& facts,
                           const Analyzer& under_conditions) {
  std::vector<Var> moving;
  for (const LoopRange& loop : index.loops) moving.push_back(loop.first);
  std::vector<Expr> ends;
  if (const Expr last = under_conditions.bounds(as_index(e), moving).high; last.defined())
    ends.push_back(facts.simplify(as_index(last) + 1));
  ends.push_back(index.length);
  for (const Expr& end : ends)
    if (!uses_any(end, index.loops) && facts.proves(equals(floor_mod(end, q), make_int(0))) &&
        facts.proves(end >= q) && facts.proves(end <= index.length))
      return end;
  return std::nullopt;
}

/// The loops of the index replaced by two, over F // q and F % q.
RepeatedRegion with_two_digits(const RepeatedRegion& access, const FusedIndex& index, const Expr& q,
                               const Expr& end, const Analyzer& facts) {
  const Var high("quotient"), low("remainder");
  RepeatedRegion out{{access.region.buffer, {}}, access.loops, {}};
  std::erase_if(out.loops, [&](const LoopRange& loop) {
    return std::any_of(index.loops.begin(), index.loops.end(),
                       [&](const LoopRange& own) { return own.first == loop.first; });
  });
  out.loops.emplace_back(high, Range{make_int(0), facts.simplify(floor_div(end, q))});
  out.loops.emplace_back(low, Range{make_int(0), q});
  Analyzer inside = facts;
  for (const LoopRange& loop : {out.loops[out.loops.size() - 2], out.loops.back()})
    inside.bind(loop.first, loop.second);
  // The lightest loop as what the others leave of F: where only F counts, these cancel out.
  const Expr fused = high * q + low;
  Expr lightest = fused;
  Substitution digits;
  for (std::size_t i = 1; i < index.loops.size(); ++i) {
    const Var& var = index.loops[i].first;
    lightest = lightest - as_index(var) * index.weights[i];
    const Expr above = floor_div(fused, index.weights[i]);
    digits[var] = make_cast(var.type(), i + 1 == index.loops.size()
                                            ? above
                                            : floor_mod(above, as_index(index.loops[i].second.extent)));
  }
  const Var& first = index.loops[0].first;
  const auto there = [&](const Expr& e) {
    const Expr by_fused = inside.simplify(substitute(e, first, make_cast(first.type(), lightest)));
    return inside.simplify(substitute(by_fused, digits));
  };
  for (const Range& range : access.region.region)
    out.region.region.push_back({there(range.min), there(range.extent)});
  for (const Expr& condition : access.conditions)
    if (const Expr part = there(condition); !is_true(part)) out.conditions.push_back(part);
  return out;
}

std::optional<RepeatedRegion> with_one_number_in_digits(const RepeatedRegion& access, const Analyzer& facts) {
  const std::vector<Division> divisions = divisions_in(access);
  if (divisions.empty()) return std::nullopt;
  Analyzer under_conditions = facts;
  for (const Expr& condition : access.conditions) under_conditions.assume(condition);
  for (const auto& [number, divisor] : divisions) {
    const Expr q = as_index(divisor);
    const auto index = fused_index(number, access.loops, facts);
    if (!index || !facts.proves(q >= make_int(1))) continue;
    if (const auto end = end_of(number, *index, q, facts, under_conditions))
      return with_two_digits(access, *index, q, *end, facts);
  }
  return std::nullopt;
}

}  // namespace

std::optional<RepeatedRegion> over_digits(const RepeatedRegion& access, const Analyzer& facts) {
  // Each step makes two loops of at least one; a number has no more digits than it has loops and divisors.
  constexpr int most_steps = 8;
  std::optional<RepeatedRegion> out = with_one_number_in_digits(access, facts);
  for (int step = 1; out && step < most_steps; ++step) {
    Analyzer known = facts;
    for (const auto& [var, range] : out->loops) known.bind(var, range);
    auto next = with_one_number_in_digits(*out, known);
    if (!next) break;
    out = std::move(next);
  }
  return out;
}

}  // namespace ardea::arith
