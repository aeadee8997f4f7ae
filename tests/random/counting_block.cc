#include <fmt/core.h>

#include "tests/random/dependent_blocks.h"

namespace ardea::random_programs {

namespace {

Indices any_bindings(Random& random, std::size_t depth) {
  Indices bound;
  const auto left_out = static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(depth) - 1));
  for (std::size_t k = 0; k < depth; ++k)
    if (k != left_out && random.chance(0.6)) {
      const IndexExpression var = IndexExpression::loop(k);
      bound.push_back(random.chance(0.8) ? var : var + random.integer(1, 5));
    }
  if (bound.empty() || random.chance(0.1)) bound.emplace_back(random.integer(0, 3));
  return bound;
}

/// Each iterator, or any indices.
Indices any_place(NestState& state, std::size_t iterators) {
  if (!state.random.chance(0.5)) return state.draw().any_indices(iterators);
  Indices each;
  for (std::size_t k = 0; k < iterators; ++k) each.push_back(IndexExpression::loop(k));
  return each;
}

}  // namespace

void counting_block(NestState& state, std::size_t depth) {
  Random& random = state.random;
  const Indices bound = any_bindings(random, depth);
  const std::int64_t room = random.chance(0.7) ? random.integer(1, 8) : 0;
  const std::string kind = random.chance(0.9) ? "opaque" : "scan";
  state.begin_block(depth, bound, std::vector(bound.size(), kind), room);
  state.maybe_where(depth);
  state.instances = state.loops.instances.of(bound);
  Indices indices = any_place(state, bound.size());
  Memory& target = state.new_tensor(random.chance(0.7) ? Memory::output : Memory::filled);
  state.fit(target, indices, room);
  const std::string place = state.access(target, indices), what = state.value(bound.size(), &target);
  const double how = random.real();
  const std::string before = how < 0.5 ? place + " + " : how < 0.7 ? place + " * 3 + " : "";
  state.text += state.guarded(depth, fmt::format("{} = {}{}\n", place, before, what));
  state.instances = state.loops.instances;
}

}  // namespace ardea::random_programs
