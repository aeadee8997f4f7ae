#include "ardea/limits/limits.h"

#include <fmt/core.h>

#include <algorithm>

#include "ardea/arith/inside.h"
#include "ardea/intrin/tile_registers.h"
#include "ardea/ir/ceil_div.h"
#include "ardea/ir/layout.h"
#include "ardea/ir/row_swizzle.h"
#include "ardea/ir/scope.h"
#include "ardea/ir/substitute.h"
#include "ardea/ir/traverse.h"
#include "ardea/limits/lane_counts.h"
#include "ardea/limits/largest_value.h"
#include "ardea/limits/memory_in_turn.h"
#include "ardea/limits/registers.h"
#include "ardea/limits/steps.h"
#include "ardea/limits/thread_registers.h"

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
    found.push_back(
        {loop->var, as_index(loop->extent), register_lanes(lane_bits(loop->body, target), target)});
  });
  return found;
}

/// Loops of one axis run on the same threads, one after the other.
std::map<std::string, Expr> threads_of(const Stmt& whole, const Analyzer& facts) {
  std::map<std::string, Expr> threads;
  visit_stmts(whole, [&](const Stmt& s) {
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

/// Threads of a block, or blocks, of the launch that has most. A launch is an outermost loop that is bound to
/// either (lower/gpu/launch.h); another one has threads of its own.
Expr most_of_launch(const Stmt& s, const std::string& prefix, const Analyzer& facts) {
  const auto* loop = s.as<For>();
  if (loop != nullptr && (loop->thread.starts_with("blockIdx") || loop->thread.starts_with("threadIdx")))
    return product_of(threads_of(s, facts), prefix);
  Expr most = make_int(1);
  for_each_child(
      s, [](const Expr&) {},
      [&](const Stmt& part) { most = larger_count(most, most_of_launch(part, prefix, facts), facts); });
  return most;
}

Expr virtual_threads(const Stmt& s, const Analyzer& facts) {
  Expr most = make_int(1);
  for_each_child(
      s, [](const Expr&) {},
      [&](const Stmt& part) { most = larger_count(most, virtual_threads(part, facts), facts); });
  const auto* loop = s.as<For>();
  return loop != nullptr && loop->kind == ForKind::virtual_thread
             ? multiply_index(most, as_index(loop->extent))
             : most;
}

/// Bytes of a GPU's shared memory that the launch that has most of them takes. What is needed one after the
/// other lies in the same bytes, as lower/gpu/shared_memory.cc lays it out.
class SharedBytes {
 public:
  SharedBytes(const std::vector<Memory>& memory, const Analyzer& facts) : facts_(facts) {
    for (const Memory& one : memory) bytes_[one.data] = one.bytes;
  }

  Expr in(const Stmt& s) {
    const auto* loop = s.as<For>();
    const auto* allocate = s.as<Allocate>();
    const bool is_launch = loop != nullptr && !loop->thread.empty();
    if (is_launch || (allocate != nullptr && scope_rank(allocate->scope) == ScopeRank::block))
      return of_launch(s);
    Expr most = make_int(0);
    for_each_child(
        s, [](const Expr&) {}, [&](const Stmt& part) { most = larger_count(most, in(part), facts_); });
    return most;
  }

 private:
  Expr of_launch(const Stmt& s) {
    count_virtual_threads(s, make_int(1));
    const std::vector<NeededMemory> all = memory_in_turn(s);
    std::int64_t unit = 1;
    for (const NeededMemory& one : all) unit = std::max(unit, allocated_on(one.allocate.annotations));
    Expr most = make_int(0);
    std::vector<Expr> ends;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto is_in_the_way = [&](std::size_t earlier, std::size_t later) {
        return !are_apart(all[earlier].spans, all[later].spans);
      };
      Expr first = make_int(0);
      for (std::size_t j = 0; j < i; ++j) {
        bool is_behind = false;  // what is in the way lies behind it
        for (std::size_t k = j + 1; k < i; ++k)
          is_behind = is_behind || (is_in_the_way(j, k) && is_in_the_way(k, i));
        if (is_in_the_way(j, i) && !is_behind) first = larger_count(first, ends[j], facts_);
      }
      ends.push_back(facts_.simplify(add_index(first, bytes_of(all[i].allocate, all.size() > 1 ? unit : 1))));
      most = larger_count(most, ends.back(), facts_);
    }
    return facts_.simplify(most);
  }

  /// Each virtual thread has its own.
  void count_virtual_threads(const Stmt& s, const Expr& threads) {
    const auto* loop = s.as<For>();
    const bool is_virtual = loop != nullptr && loop->kind == ForKind::virtual_thread;
    if (const auto* allocate = s.as<Allocate>()) virtual_threads_[allocate->data] = threads;
    for_each_child(
        s, [](const Expr&) {},
        [&](const Stmt& part) {
          count_virtual_threads(part, is_virtual ? multiply_index(threads, as_index(loop->extent)) : threads);
        });
  }

  /// With what is left free between several, each of which begins on a multiple of so many.
  Expr bytes_of(const Allocate& allocate, std::int64_t multiple) const {
    const Expr bytes = multiply_index(bytes_.at(allocate.data), virtual_threads_.at(allocate.data)),
               unit = make_int(multiple);
    const bool is_exact = multiple == 1 || facts_.proves(equals(bytes % unit, make_int(0)));
    return is_exact ? bytes : multiply_index(ceil_div(bytes, unit), unit);
  }

  const Analyzer& facts_;
  std::unordered_map<Var, Expr> bytes_, virtual_threads_;
};

/// Scratchpads that an accelerator has not got hold nothing.
std::optional<std::int64_t> bytes_available(const std::string& scope, const target::Target& target) {
  const auto rank = scope_rank(scope);
  if (rank == ScopeRank::device) return target.memory_bytes;
  if (target.accelerator && rank == ScopeRank::block) {
    const target::Scratchpad* scratchpad = target.accelerator->scratchpad(scope);
    return scratchpad != nullptr ? scratchpad->bytes : 0;
  }
  if (scope == tile_scope) return intrin::tile_registers * intrin::tile_bytes;
  return std::nullopt;
}

void add_gpu_bounds(std::vector<Bound>& bounds, const Limits& limits, const target::Gpu& gpu) {
  const Expr& threads = limits.block_threads;
  bounds.push_back({"bytes of shared memory", limits.shared_bytes, gpu.shared_bytes_per_block});
  bounds.push_back({"threads in a block", threads, gpu.threads_per_block});
  bounds.push_back({"warps in a block", ceil_div(threads, make_int(gpu.warp_threads)),
                    gpu.threads_per_block / gpu.warp_threads});
  bounds.push_back({"registers of a thread", limits.thread_registers, gpu.registers_per_thread});
  bounds.push_back(
      {"registers of a block", multiply_index(limits.thread_registers, threads), gpu.registers_per_block});
  bounds.push_back({"blocks", limits.blocks, std::nullopt});
}

}  // namespace

Limits limits_of(const Function& placed, const target::Target& target) {
  const Analyzer facts = arith::facts_of(placed);
  Limits limits;
  limits.memory = memory_of(placed, target);
  const Cost bytes = [](const Memory& one) { return one.bytes; };
  limits.live_bytes = live(placed, limits.memory, bytes, own_group, target);
  if (target.gpu) {
    limits.shared_bytes = SharedBytes(limits.memory, facts).in(placed.body);
    limits.thread_registers = thread_registers(placed, limits.memory, target);
  }
  limits.vector_registers = vector_registers(placed, limits.memory, target);
  limits.tile_registers = tile_registers(placed, limits.memory, target);
  Function bounded = placed;
  bounded.body = with_largest_extents(placed.body, facts);
  limits.vectors = vector_loops(bounded, target);
  limits.unrolled_iterations = unrolled_iterations(bounded);
  limits.unrolled_steps = unrolled_steps(bounded, target);
  limits.threads = threads_of(placed.body, facts);
  limits.block_threads = most_of_launch(placed.body, "threadIdx", facts);
  limits.blocks = most_of_launch(placed.body, "blockIdx", facts);
  limits.virtual_threads = virtual_threads(placed.body, facts);
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
  if (target.gpu) add_gpu_bounds(bounds, limits, *target.gpu);
  if (target.accelerator)
    bounds.push_back({"virtual threads", limits.virtual_threads, target.accelerator->virtual_threads});
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
