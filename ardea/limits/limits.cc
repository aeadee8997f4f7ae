#include "ardea/limits/limits.h"

#include <fmt/core.h>

#include "ardea/arith/inside.h"
#include "ardea/intrin/tile_registers.h"
#include "ardea/ir/layout.h"
#include "ardea/ir/scope.h"
#include "ardea/ir/substitute.h"
#include "ardea/ir/traverse.h"
#include "ardea/limits/lane_counts.h"
#include "ardea/limits/largest_value.h"
#include "ardea/limits/registers.h"
#include "ardea/limits/steps.h"

namespace ardea::limits {

namespace {

using arith::Analyzer;

Expr larger_count(const Expr& a, const Expr& b, const Analyzer& facts) {
  if (!a.defined() || facts.proves(a <= b)) return b;
  return facts.proves(b <= a) ? a : facts.simplify(max(a, b));
}

/// s with the extents of loops that change from one iteration around to the next as large as they get.
Stmt with_largest_extents(const Stmt& s, const Analyzer& facts) {
  const Analyzer inner = arith::inside(facts, s);
  const Stmt out =
      map_children(s, Mapper{.stmt = [&](const Stmt& part) { return with_largest_extents(part, inner); }});
  const auto* loop = out.as<For>();
  if (loop == nullptr || !varies_with_loops(loop->extent, facts)) return out;
  const Expr most = largest_value(as_index(loop->extent), facts);
  if (!most.defined()) return out;
  For bounded = *loop;
  bounded.extent = make_cast(loop->extent.type(), most);
  return bounded;
}

std::vector<VectorLoop> vector_loops(const Function& f, const target::Target& target) {
  std::vector<VectorLoop> found;
  visit_stmts(f.body, [&](const Stmt& s) {
    const auto* loop = s.as<For>();
    if (loop == nullptr || loop->kind != ForKind::vectorized) return;
    found.push_back({loop->var, as_index(loop->extent), register_lanes(widest_bits(loop->body), target)});
  });
  return found;
}

/// Loops of one axis run on the same threads, one after the other.
std::map<std::string, Expr> threads_of(const Function& f, const Analyzer& facts) {
  std::map<std::string, Expr> threads;
  visit_stmts(f.body, [&](const Stmt& s) {
    const auto* loop = s.as<For>();
    if (loop == nullptr || loop->thread.empty()) return;
    Expr& extent = threads[loop->thread];
    extent = larger_count(extent, as_index(loop->extent), facts);
  });
  return threads;
}

/// Only the outermost of nested parallel loops runs on several threads.
Expr parallel_iterations(const Stmt& s, const Analyzer& facts) {
  if (const auto* loop = s.as<For>(); loop != nullptr && loop->kind == ForKind::parallel)
    return as_index(loop->extent);
  Expr most = make_int(1);
  for_each_child(
      s, [](const Expr&) {},
      [&](const Stmt& part) { most = larger_count(most, parallel_iterations(part, facts), facts); });
  return most;
}

/// The product of the axes whose name begins so.
Expr product_of(const std::map<std::string, Expr>& threads, const std::string& prefix) {
  Expr product = make_int(1);
  for (const auto& [axis, extent] : threads)
    if (axis.starts_with(prefix)) product = multiply_index(product, extent);
  return product;
}

std::optional<std::int64_t> bytes_available(const std::string& scope, const target::Target& target) {
  if (scope_rank(scope) == ScopeRank::device) return target.memory_bytes;
  if (scope_rank(scope) == ScopeRank::block && target.gpu) return target.gpu->shared_bytes_per_block;
  if (scope == tile_scope) return intrin::tile_registers * intrin::tile_bytes;
  return std::nullopt;
}

}  // namespace

Limits limits_of(const Function& placed, const target::Target& target) {
  const Analyzer facts = arith::facts_of(placed);
  Limits limits;
  limits.memory = memory_of(placed, target);
  limits.live_bytes = live(placed, limits.memory, [](const Memory& one) { return one.bytes; });
  limits.vector_registers = vector_registers(placed, limits.memory, target);
  limits.tile_registers = tile_registers(placed, limits.memory);
  Function bounded = placed;
  bounded.body = with_largest_extents(placed.body, facts);
  limits.vectors = vector_loops(bounded, target);
  limits.unrolled_iterations = unrolled_iterations(bounded);
  limits.unrolled_steps = unrolled_steps(bounded, target);
  limits.threads = threads_of(placed, facts);
  limits.parallel = parallel_iterations(placed.body, facts);
  limits.code_steps = code_steps(bounded, target);
  return limits;
}

std::vector<Bound> bounds_of(const Limits& limits, const target::Target& target) {
  std::vector<Bound> bounds;
  for (const auto& [scope, bytes] : limits.live_bytes)
    bounds.push_back({fmt::format("bytes in {}", scope), bytes, bytes_available(scope, target)});
  if (target.vector_registers > 0)
    bounds.push_back({"vector registers", limits.vector_registers, target.vector_registers});
  if (target.has("amx-tile"))
    bounds.push_back({"tile registers", limits.tile_registers, intrin::tile_registers});
  for (const VectorLoop& loop : limits.vectors)
    bounds.push_back({fmt::format("lanes of {}", loop.loop.name()), loop.extent, std::nullopt});
  bounds.push_back({"unrolled steps", limits.unrolled_steps, most_unrolled_steps});
  if (target.gpu) {
    bounds.push_back(
        {"threads in a block", product_of(limits.threads, "threadIdx"), target.gpu->threads_per_block});
    bounds.push_back({"blocks", product_of(limits.threads, "blockIdx"), std::nullopt});
  }
  for (const auto& [axis, extent] : limits.threads)
    bounds.push_back({fmt::format("threads on {}", axis), extent, std::nullopt});
  bounds.push_back({"parallel iterations", limits.parallel, std::nullopt});
  bounds.push_back({"statements", limits.code_steps, std::nullopt});
  return bounds;
}

std::optional<std::int64_t> value_at(const Expr& e, const Numbers& numbers) {
  Substitution values;
  for (const auto& [var, number] : numbers) values[var] = make_int(number, var.type());
  return constant_int(Analyzer().simplify(substitute(e, values)));
}

}  // namespace ardea::limits
