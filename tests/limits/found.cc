#include <fmt/format.h>

#include "tests/limits/found.h"

#include <algorithm>
#include <unordered_set>

#include "ardea/ir/intrinsics.h"
#include "ardea/ir/scope.h"
#include "ardea/ir/traverse.h"
#include "ardea/limits/register_tile.h"
#include "ardea/limits/steps.h"
#include "ardea/lower/pipeline.h"
#include "ardea/support/error.h"

namespace ardea::limits {

namespace {

using Bytes = std::map<std::string, std::int64_t>;

/// What is not a number counts as -1.
std::int64_t number_of(const Expr& e, const Numbers& numbers) { return value_at(e, numbers).value_or(-1); }

Bytes live_in(const Stmt& s, const Numbers& numbers, bool& varies) {
  Bytes most;
  for_each_child(
      s, [](const Expr&) {},
      [&](const Stmt& part) {
        for (const auto& [scope, bytes] : live_in(part, numbers, varies))
          most[scope] = std::max(most[scope], bytes);
      });
  const auto* allocate = s.as<Allocate>();
  if (allocate == nullptr) return most;
  std::int64_t bytes = allocate->type.bytes();
  for (const Expr& extent : allocate->extents) {
    const std::int64_t n = number_of(extent, numbers);
    varies = varies || n < 0;
    bytes *= n;
  }
  most[allocate->scope] += bytes;
  return most;
}

std::int64_t unrolled_in(const Stmt& s, const Numbers& numbers) {
  std::int64_t most = 1;
  for_each_child(
      s, [](const Expr&) {}, [&](const Stmt& part) { most = std::max(most, unrolled_in(part, numbers)); });
  const auto* loop = s.as<For>();
  return loop != nullptr && loop->kind == ForKind::unrolled ? most * number_of(loop->extent, numbers) : most;
}

/// Slots that a loop uses and that were there before it.
std::int64_t registers_in(const Stmt& body, const target::Target& target) {
  std::int64_t most = 0;
  visit_stmts(body, [&](const Stmt& s) {
    const auto* loop = s.as<For>();
    if (loop == nullptr) return;
    std::unordered_set<Var> known;
    visit_stmts(loop->body, [&](const Stmt& part) {
      if (const auto* allocate = part.as<Allocate>()) known.insert(allocate->data);
    });
    std::int64_t taken = 0;
    for (const Buffer& buffer : buffers_in(loop->body))
      if (buffer->scope == register_scope && known.insert(buffer->data).second)
        taken += registers_of(
            buffer->type.with_lanes(static_cast<int>(buffer->type.lanes * *constant_int(buffer->shape[0]))),
            target);
    most = std::max(most, taken);
  });
  return most;
}

bool is_test(const Stmt& s) {
  const auto* evaluate = s.as<Evaluate>();
  const auto* call = evaluate != nullptr ? evaluate->value.as<Call>() : nullptr;
  return s.is<Assert>() || (call != nullptr && call->op->name == "fail");
}

}  // namespace

Found found_by_lowering(const Function& f, const target::Target& target, const Numbers& numbers) {
  Found found;
  visit_stmts(f.body, [&](const Stmt& s) {
    const auto* loop = s.as<For>();
    found.vectors_vary = found.vectors_vary || (loop != nullptr && loop->kind == ForKind::vectorized &&
                                                number_of(loop->extent, numbers) < 0);
  });
  const Function flat = lower::lower_until(f, target, "flatten_storage");
  found.live_bytes = live_in(flat.body, numbers, found.varies);
  found.unrolled_iterations = unrolled_in(flat.body, numbers);
  visit_stmts(flat.body, [&](const Stmt& s) {
    const auto* loop = s.as<For>();
    const std::int64_t extent = loop != nullptr ? number_of(loop->extent, numbers) : 1;
    if (extent == 1) return;
    if (loop->kind == ForKind::vectorized) found.vector_extents.insert(extent);
    if (!loop->thread.empty()) found.thread_extents.insert(extent);
  });
  const Function reused = lower::lower_until(f, target, "reuse_storage");
  found.reused_bytes = live_in(reused.body, numbers, found.varies);
  const Function promoted = lower::lower_until(f, target, "promote_registers");
  found.vector_registers = registers_in(promoted.body, target);
  const Function written_out = lower::lower_until(f, target, "unroll_loops");
  visit_stmts(written_out.body, [&](const Stmt& s) { found.steps += is_step(s) && !is_test(s) ? 1 : 0; });
  return found;
}

std::string difference(const Limits& predicted, const Found& found, const Numbers& numbers) {
  const auto at = [&](const Expr& e) { return number_of(e, numbers); };
  if (!found.varies) {
    for (const auto& [scope, bytes] : found.live_bytes) {
      const auto known = predicted.live_bytes.find(scope);
      const std::int64_t expected = known == predicted.live_bytes.end() ? 0 : at(known->second);
      const bool agrees = numbers.empty() ? expected == bytes : expected <= bytes;
      if (!agrees) return fmt::format("{} bytes live in {}, predicted {}", bytes, scope, expected);
    }
    for (const auto& [scope, bytes] : found.reused_bytes)
      if (numbers.empty() && bytes > at(predicted.live_bytes.at(scope)))
        return fmt::format("{} bytes in {} after reuse, predicted at most {}", bytes, scope,
                           at(predicted.live_bytes.at(scope)));
  }
  if (const std::int64_t most = at(predicted.vector_registers); found.vector_registers > most)
    return fmt::format("{} vector registers, predicted at most {}", found.vector_registers, most);
  if (const std::int64_t n = at(predicted.unrolled_iterations); n != found.unrolled_iterations)
    return fmt::format("{} iterations of unrolled loops, predicted {}", found.unrolled_iterations, n);
  std::set<std::int64_t> lanes, threads;
  for (const VectorLoop& loop : predicted.vectors)
    if (at(loop.extent) != 1) lanes.insert(at(loop.extent));
  const bool is_bounded = !lanes.empty() && !found.vector_extents.empty() && *lanes.begin() >= 0 &&
                          *found.vector_extents.rbegin() <= *lanes.rbegin();
  if (found.vectors_vary ? !is_bounded && !found.vector_extents.empty() : lanes != found.vector_extents)
    return fmt::format("vectorized loops have the extents {}, predicted {}",
                       fmt::join(found.vector_extents, ", "), fmt::join(lanes, ", "));
  for (const std::int64_t extent : found.thread_extents) {
    const bool known = std::any_of(predicted.threads.begin(), predicted.threads.end(),
                                   [&](const auto& axis) { return at(axis.second) >= extent; });
    if (!known) return fmt::format("{} threads, of which none was predicted", extent);
  }
  if (const std::int64_t most = at(predicted.code_steps); found.steps > most)
    return fmt::format("{} statements, predicted at most {}", found.steps, most);
  return "";
}

}  // namespace ardea::limits
