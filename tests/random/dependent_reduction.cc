#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "tests/random/dependent_blocks.h"

namespace ardea::random_programs {

namespace {

/// Whether every element's first instance is the one that runs the init, and no other is.
bool init_comes_first(const Instances& loops, const Indices& spatial, const Indices& reduce) {
  Point start;
  for (const IndexExpression& binding : reduce) start.push_back(loops.reach(binding).first);
  std::set<Point> begun;
  return std::all_of(loops.points.begin(), loops.points.end(), [&](const Point& point) {
    return begun.insert(place_at(spatial, point)).second == (place_at(reduce, point) == start);
  });
}

/// Whether the loop has two iterations or more somewhere.
bool repeats(const DependentLoops& loops, std::size_t k) {
  const std::vector<Point>& points = loops.instances.points;
  return std::any_of(points.begin(), points.end(),
                     [&](const Point& point) { return loops.bounds[k].extent.value(point) > 1; });
}

/// Makes one binding of the last two, mostly by as many as the inner one has values, as a split would have
/// left them.
void join_last_two(NestState& state, Indices& bindings) {
  Random& random = state.random;
  const auto [low, high] = state.instances.reach(bindings.back());
  const std::int64_t inner = state.loops.bounds.back().extent.value(state.instances.points[0]);
  const std::int64_t by = random.chance(0.5)   ? inner
                          : random.chance(0.5) ? high - low + 1
                                               : random.integer(1, 5);
  const IndexExpression both = bindings[bindings.size() - 2] * by + bindings.back();
  bindings.pop_back();
  bindings.back() = both;
}

}  // namespace

bool dependent_reduction(NestState& state, std::size_t depth) {
  Random& random = state.random;
  Indices spatial, reduce;
  for (std::size_t k = 0; k < depth; ++k) {
    if (!repeats(state.loops, k) && random.chance(0.5)) continue;
    (random.chance(0.5) ? spatial : reduce).push_back(IndexExpression::loop(k));
  }
  if (reduce.empty()) return false;
  Indices& joined = random.chance(0.7) ? reduce : spatial;
  if (joined.size() >= 2 && random.chance(0.7)) join_last_two(state, joined);
  if (!init_comes_first(state.instances, spatial, reduce)) return false;
  const bool is_consumed = random.chance(0.5) && state.instances.covers_a_box(spatial);
  Indices all = spatial;
  all.insert(all.end(), reduce.begin(), reduce.end());
  state.counts_twice = state.counts_twice || !state.instances.tells_apart(all, depth);
  std::vector<std::string> kinds(spatial.size(), "spatial");
  kinds.resize(all.size(), "reduce");
  state.begin_block(depth, all, kinds);
  Indices places;
  for (std::size_t k = 0; k < spatial.size(); ++k) places.push_back(IndexExpression::loop(k));
  if (places.empty()) places.emplace_back(0);
  // From here on the iterators are what indices are made of.
  state.instances = state.loops.instances.of(all);
  Memory& target = state.new_tensor(is_consumed ? Memory::temporary : Memory::output);
  state.fit(target, places);
  const std::string place = state.access(target, places);
  state.text += pad(depth + 2) + "with T.init():\n" + pad(depth + 3) + place + " = 0\n";
  state.text +=
      pad(depth + 2) + fmt::format("{} = {} + {}\n", place, place, state.value(all.size(), &target));
  state.instances = state.loops.instances;
  if (is_consumed) state.consumed.push_back(&target);
  return true;
}

}  // namespace ardea::random_programs
