#include <numeric>

#include "ardea/interp/executor.h"
#include "ardea/ir/scope.h"
#include "ardea/ir/traverse.h"
#include "ardea/support/error.h"

/// Concurrent thread loops, and who shares which memory in them.

namespace ardea::interp {

namespace {

constexpr std::int64_t max_threads = 1024, max_blocks = 1 << 24;

std::optional<ThreadBlock::Group> group_sharing(ScopeRank rank) {
  if (rank == ScopeRank::block) return ThreadBlock::Group::block;
  if (rank == ScopeRank::warp) return ThreadBlock::Group::warp;
  return std::nullopt;
}

}  // namespace

Grid Executor::survey(const Stmt& outermost) {
  Grid grid;
  visit_stmts(outermost, [&](const Stmt& s) {
    const auto* loop = s.as<For>();
    if (loop == nullptr || loop->kind != ForKind::thread_binding) return;
    if (!Grid::is_block_tag(loop->thread) && !Grid::is_thread_tag(loop->thread)) return;
    statement_ = &s;
    const std::int64_t extent = std::max<std::int64_t>(0, evaluate_integer(loop->extent));
    const auto [at, is_new] = grid.extents.emplace(loop->thread, extent);
    if (at->second != extent)
      report(fmt::format("{} has extent {} here but {} in another loop of the same launch", loop->thread,
                         extent, at->second));
  });
  statement_ = &outermost;
  if (grid.threads() > max_threads || grid.blocks() > max_blocks)
    report(fmt::format("a launch of {} blocks of {} threads; there may be {} blocks of {} threads",
                       grid.blocks(), grid.threads(), max_blocks, max_threads));
  return grid;
}

void Executor::launch(const Stmt& outermost) {
  const Grid grid = survey(outermost);
  if (grid.threads() == 0 || grid.blocks() == 0) return;
  std::vector<std::int64_t> order(static_cast<std::size_t>(grid.blocks()));
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1],
              order[static_cast<std::size_t>(machine_.random.integer(0, static_cast<std::int64_t>(i) - 1))]);
  ++machine_.launches;
  for (const std::int64_t number : order) {
    ThreadBlock block(grid, number, machine_.random.split());
    block.run([&](int thread) {
      Executor executor(*this, grid, block, thread);
      executor.execute(outermost);
      executor.finish();
    });
  }
}

Executor::Memory Executor::allocate(const Var& data, const std::string& name, const std::string& scope,
                                    DataType type, const std::vector<Expr>& extents) {
  const std::vector<std::int64_t> shape = evaluate_all(extents);
  const std::optional<std::int64_t> count = element_count(shape, type);
  if (!count) report(fmt::format("the extents of {} are negative, or too large together", name));
  const std::int64_t bytes = type.bytes(*count);
  const auto make = [&] {
    try {
      auto made = std::make_shared<Allocation>(name, scope, bytes);
      if (Observer* observer = machine_.options.observer) observer->allocates(made.get(), name, scope);
      return made;
    } catch (const std::bad_alloc&) {     // NOLINT(bugprone-empty-catch): reported below
    } catch (const std::length_error&) {  // NOLINT(bugprone-empty-catch): likewise
    }
    report(fmt::format("there is no memory for the {} bytes of {}", bytes, name));
  };
  if (block_ == nullptr) return {make(), data, 0, std::nullopt};
  const std::optional<ScopeRank> rank = scope_rank(scope);
  if (!rank)
    report(fmt::format("{} is allocated in scope \"{}\"; the scopes are {}", name, scope, known_scopes()));
  if (*rank == ScopeRank::device)
    report(fmt::format(
        "{} is allocated in scope \"{}\" inside a launch; allocate it before, or in \"shared\" or \"local\"",
        name, scope));
  const std::optional<ThreadBlock::Group> group = group_sharing(*rank);
  if (!group) {
    Memory memory{make(), data, 0, std::nullopt};
    memory.allocation->one_thread = true;
    return memory;
  }
  const std::uint64_t nth = executions_[data]++;
  Memory memory{block_->enter(data, nth, thread_, *group, make), data, nth, group};
  if (memory.allocation->byte_count != bytes)
    report(fmt::format("{} has {} bytes on this thread but {} on another that shares it", name, bytes,
                       memory.allocation->byte_count));
  return memory;
}

void Executor::release(const Memory& memory) {
  if (memory.group) block_->leave(memory.data, memory.nth, thread_, *memory.group);
  const bool last = !memory.group || memory.allocation.use_count() == 1;
  if (last) check_no_flight(*memory.allocation);
}

}  // namespace ardea::interp
