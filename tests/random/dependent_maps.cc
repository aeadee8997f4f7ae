#include <fmt/core.h>

#include "tests/random/dependent_blocks.h"

namespace ardea::random_programs {

namespace {

/// An iterator for each loop.
void begin_map(NestState& state, std::size_t depth, const std::string& kind) {
  Indices loops;
  for (std::size_t k = 0; k < depth; ++k) loops.push_back(IndexExpression::loop(k));
  state.begin_block(depth, loops, std::vector(depth, kind));
}

}  // namespace

void map_block(NestState& state, std::size_t depth) {
  Random& random = state.random;
  std::vector<Memory*> targets;
  for (Memory& tensor : state.tensors)
    if (tensor.role == Memory::output || tensor.role == Memory::filled) targets.push_back(&tensor);
  Indices indices = state.draw().any_indices(depth);
  Memory* target = targets.empty() || random.chance(0.7) ? nullptr : random.pick(targets);
  const bool is_consumed = target == nullptr && depth == state.loops.bounds.size() && random.chance(0.5) &&
                           state.instances.covers_a_box(indices);
  if (target == nullptr || target->shape.size() != indices.size())
    target = &state.new_tensor(is_consumed          ? Memory::temporary
                               : random.chance(0.7) ? Memory::output
                                                    : Memory::filled);
  state.fit(*target, indices);
  if (is_consumed) state.consumed.push_back(target);
  const double how = is_consumed ? 0 : random.real();
  std::string kind = random.chance(0.8) ? "opaque" : "scan";
  const bool may_be_spatial = how < 0.8 && state.instances.tells_apart(indices, depth);
  if (may_be_spatial && !state.is_cautious && random.chance(0.6)) kind = "spatial";
  begin_map(state, depth, kind);
  if (!is_consumed) state.maybe_where(depth);
  const std::string place = state.access(*target, indices);
  std::string what;
  if (how < 0.6) {
    what = state.value(depth, target);
  } else if (how < 0.8) {
    what = place + " + " + state.value(depth, target);
  } else {
    Indices other = indices;
    other[0] = random.chance(0.5) ? state.draw().any_index(depth) : other[0] + random.integer(-2, 2);
    state.fit(*target, other);
    what = state.access(*target, other) + " + " + state.value(depth, target);
  }
  const std::string store = fmt::format("{} = {}\n", place, what);
  state.text += is_consumed ? pad(depth + 2) + store : state.guarded(depth, store);
}

void passed_on(NestState& state, std::size_t depth) {
  Indices between = state.draw().any_indices(depth);
  Memory& passed = state.new_tensor(Memory::temporary);
  state.fit(passed, between);
  begin_map(state, depth, "opaque");
  state.text +=
      pad(depth + 2) + fmt::format("{} = {}\n", state.access(passed, between), state.value(depth, &passed));
  Indices indices = state.draw().any_indices(depth);
  Memory& target = state.new_tensor(Memory::output);
  state.fit(target, indices);
  begin_map(state, depth, "opaque");
  state.maybe_where(depth);
  state.text += state.guarded(depth, fmt::format("{} = {} + {}\n", state.access(target, indices),
                                                 state.access(passed, between), state.value(depth, &target)));
}

}  // namespace ardea::random_programs
