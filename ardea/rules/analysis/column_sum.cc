#include "ardea/rules/analysis/column_sum.h"

#include <algorithm>

#include "ardea/arith/analyzer.h"
#include "ardea/ir/substitute.h"
#include "ardea/ir/traverse.h"
#include "ardea/rules/analysis/producers.h"
#include "ardea/schedule/program/tree.h"

namespace ardea::rules {

namespace {

bool has_variable(const Expr& e, const Var& v) {
  bool found = false;
  visit_exprs(e, [&](const Expr& x) { found = found || (x.is<VarNode>() && Var(x) == v); });
  return found;
}

/// By how much the index grows with the variable, where that is the same everywhere.
std::optional<std::int64_t> step_of(const Expr& index, const Var& v) {
  const Expr next = substitute(index, v, v + make_int(1));
  return constant_int(arith::Analyzer().simplify(next - index));
}

/// How far neighbours along the variable are from each other; nothing where they are in other rows.
std::optional<std::int64_t> stride_of(const Load& load, const Var& v) {
  for (std::size_t i = 0; i + 1 < load.indices.size(); ++i)
    if (step_of(load.indices[i], v) != 0) return std::nullopt;
  return load.indices.empty() ? 0 : step_of(load.indices.back(), v);
}

/// The stage that alone reads what the reduction makes, one element for each of its own.
std::optional<Stage> sum_before(const Function& program, const Stage& last) {
  for (const Load& load : last.loads) {
    if (is_parameter(program, load.buffer) || !are_plain(load.indices, last.iterators)) continue;
    for (const schedule::Path& path : schedule::all_blocks(program)) {
      if (reads(path.block(), load.buffer) && path.block().id != last.block.id) break;
      if (!writes(path.block(), load.buffer)) continue;
      const auto sum = plain_stage(program, {path.block().id});
      if (sum && sum->reduces()) return sum;
    }
  }
  return std::nullopt;
}

void find_overlapping(ColumnSum& found) {
  const Stage& sum = found.sum;
  if (sum.spatial < 2 || sum.loads.size() != 1) return;
  const Var& down = sum.iterators[sum.spatial - 2];
  for (std::size_t r = sum.spatial; r < sum.iterators.size(); ++r) {
    if (sum.extents[r] == 1 || sum.steps() == sum.extents[r]) continue;
    for (const Expr& index : sum.loads[0].indices) {
      const auto far = step_of(index, down), near = step_of(index, sum.iterators[r]);
      if (!far || !near || *far <= 0 || *near <= 0 || *far % *near != 0) continue;
      const std::int64_t shared = sum.extents[r] - *far / *near;
      if (shared <= found.shared_lines) continue;
      found.overlapping = r;
      found.shared_lines = shared;
    }
  }
}

void find_across(ColumnSum& found) {
  const Stage& sum = found.sum;
  if (sum.loads.size() != 1 || found.sources[0].stride < 2) return;
  for (std::size_t r = sum.spatial; r < sum.iterators.size(); ++r)
    if (sum.extents[r] > 1 && sum.steps() > sum.extents[r] &&
        stride_of(sum.loads[0], sum.iterators[r]).value_or(0) > 0)
      found.across = r;
}

}  // namespace

std::optional<ColumnSum> column_sum_to(const Function& program, const schedule::BlockRef& block) {
  auto stage = plain_stage(program, block);
  if (!stage) return std::nullopt;
  ColumnSum found;
  if (!stage->reduces()) {
    const auto sum = sum_before(program, *stage);
    if (!sum || sum->loads.size() > 1 || !are_plain(stage->indices, stage->iterators)) return std::nullopt;
    found.last = std::move(stage);
    stage = sum;
  }
  found.sum = std::move(*stage);
  const Stage& sum = found.sum;
  if (sum.spatial == 0) return std::nullopt;
  const std::vector<Var> made(sum.iterators.begin(),
                              sum.iterators.begin() + static_cast<std::ptrdiff_t>(sum.spatial));
  if (!are_plain(sum.indices, made)) return std::nullopt;
  for (const Load& load : sum.loads) {
    const auto stride = stride_of(load, made.back());
    if (!stride || *stride < 0) return std::nullopt;
    const auto same = std::find_if(found.sources.begin(), found.sources.end(),
                                   [&](const ColumnSource& s) { return s.buffer == load.buffer; });
    if (same != found.sources.end() && same->stride != *stride) return std::nullopt;
    if (same == found.sources.end())
      found.sources.push_back({load.buffer, *stride, elementwise_producer(program, sum.block, load.buffer)});
    for (const Expr& index : load.indices)
      for (std::size_t i = 0; i < made.size(); ++i) {
        const bool moves = has_variable(index, made[i]) && !index.is<VarNode>();
        if (moves && std::find(found.moved.begin(), found.moved.end(), i) == found.moved.end())
          found.moved.push_back(i);
      }
  }
  find_overlapping(found);
  find_across(found);
  return found;
}

}  // namespace ardea::rules
