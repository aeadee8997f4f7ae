#include "ardea/lower/gpu/thread_conflicts.h"

#include <algorithm>

#include "ardea/ir/substitute.h"
#include "ardea/lower/gpu/launch.h"

namespace ardea::lower {

bool meet_across_threads(const arith::Conflict& conflict, const std::vector<std::size_t>& axes) {
  const auto is_possible = [](const arith::Signs& s) { return s.negative || s.zero || s.positive; };
  if (!std::all_of(conflict.distance.begin(), conflict.distance.end(), is_possible)) return false;
  return std::any_of(axes.begin(), axes.end(), [&](std::size_t axis) {
    return conflict.distance[axis].negative || conflict.distance[axis].positive;
  });
}

namespace {

/// Whether a and b are a number modulo c and another one, a known step away, that leaves something else. A
/// number of fewer than c, from 0 on, is itself modulo c.
bool are_different_digits(const Expr& a, const Expr& b, const arith::Analyzer& facts) {
  const auto digit = [](const Expr& e) -> const Binary* {
    const auto* binary = e.as<Binary>();
    return binary != nullptr && binary->op == BinaryOp::floor_mod ? binary : nullptr;
  };
  const Binary *one = digit(a), *other = digit(b);
  if (one == nullptr && other == nullptr) return false;
  const Expr& radix = (one != nullptr ? one : other)->right;
  const auto count = constant_int(radix);
  if (!count || *count < 2) return false;
  const auto number = [&](const Expr& e, const Binary* binary) -> std::optional<Expr> {
    if (binary != nullptr && constant_int(binary->right) == count) return make_cast(int64, binary->left);
    const Expr value = make_cast(int64, e);
    const bool is_one = facts.proves(logical_and(value >= make_int(0), value < make_int(*count)));
    return is_one ? std::optional(value) : std::nullopt;
  };
  const auto first = number(a, one), second = number(b, other);
  if (!first || !second) return false;
  const arith::Congruence apart = facts.congruence(*first - *second);
  return apart.multiple % *count == 0 && apart.remainder % *count != 0;
}

/// Whether the two are versions of a buffer that a pipeline has, the one not the other, for all threads
/// alike.
bool are_different_versions(const arith::Conflict& conflict, const std::vector<arith::LoopRange>& threads,
                            const arith::Analyzer& facts) {
  const auto is_alike = [&](const Expr& e) {
    return std::none_of(threads.begin(), threads.end(),
                        [&](const arith::LoopRange& loop) { return uses(e, loop.first); });
  };
  const auto &first = conflict.first.region, &second = conflict.second.region;
  for (std::size_t d = 0; d < first.size() && d < second.size(); ++d)
    if (is_one(first[d].extent) && is_one(second[d].extent) && is_alike(first[d].min) &&
        is_alike(second[d].min) && are_different_digits(first[d].min, second[d].min, facts))
      return true;
  return false;
}

}  // namespace

arith::AccessesInLoops common_accesses(const Stmt& s, const std::vector<arith::LoopRange>& threads,
                                       const arith::Analyzer& facts) {
  return {s, threads, facts,
          [](const Buffer& buffer) { return !is_private(buffer->scope) && !is_warp_memory(buffer->scope); }};
}

bool may_meet(const arith::AccessesInLoops& first, const arith::AccessesInLoops& second,
              const std::vector<arith::LoopRange>& threads, const std::vector<std::size_t>& axes,
              const arith::Analyzer& facts) {
  const std::vector<arith::Conflict> all = conflicts_between(first, second, threads, facts);
  return std::any_of(all.begin(), all.end(), [&](const arith::Conflict& conflict) {
    return meet_across_threads(conflict, axes) && !(conflict.first.buffer == conflict.second.buffer &&
                                                    are_different_versions(conflict, threads, facts));
  });
}

}  // namespace ardea::lower
