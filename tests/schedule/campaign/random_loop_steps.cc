#include <algorithm>

#include "ardea/ir/equal.h"
#include "ardea/ir/traverse.h"
#include "ardea/schedule/primitives/find/find.h"
#include "ardea/schedule/primitives/loops/add_unit_loop.h"
#include "ardea/schedule/primitives/loops/fission.h"
#include "ardea/schedule/primitives/loops/fuse.h"
#include "ardea/schedule/primitives/loops/iterate_by_loops.h"
#include "ardea/schedule/primitives/loops/loop_partition.h"
#include "ardea/schedule/primitives/loops/merge.h"
#include "ardea/schedule/primitives/loops/reorder.h"
#include "ardea/schedule/primitives/loops/split.h"
#include "ardea/schedule/primitives/loops/tile.h"
#include "ardea/schedule/program/tree.h"
#include "tests/schedule/campaign/random_steps.h"

namespace ardea::schedule {

namespace {

void propose_split(RandomSteps& steps) {
  Random& random = steps.random();
  const std::vector<LoopRef> loops = steps.any_loops();
  if (loops.empty()) return;
  Split split{random.pick(loops), {}};
  const std::int64_t parts = random.integer(1, 3), open = random.integer(-1, parts - 1);
  for (std::int64_t i = 0; i < parts; ++i) {
    if (i == open)
      split.factors.emplace_back();
    else
      split.factors.emplace_back(random.integer(random.chance(0.05) ? -1 : 1, 5));
  }
  split.preserve_unit_iters = random.chance(0.5);
  split.disable_predication = random.chance(0.1);
  if (random.chance(0.3)) split.tail = "cut";
  steps.attempt(split);
}

/// As many rounds of the inner loop as fit, and a rest: of most loops with bounds that depend on others.
void propose_cut(RandomSteps& steps) {
  Random& random = steps.random();
  const std::vector<LoopRef> loops = steps.any_loops();
  if (loops.empty()) return;
  Split split{random.pick(loops), {}};
  split.factors.emplace_back();
  split.factors.emplace_back(random.integer(2, 3));
  split.preserve_unit_iters = random.chance(0.5);
  split.tail = "cut";
  steps.attempt(split);
}

void propose_fuse(RandomSteps& steps) {
  Random& random = steps.random();
  const std::vector<LoopRef> loops = steps.any_loops();
  if (loops.size() < 2) return;
  const auto count = static_cast<std::int64_t>(loops.size());
  const std::int64_t first = random.integer(0, count - 2),
                     last = std::min(count, first + random.integer(2, 3));
  steps.attempt(Fuse{{loops.begin() + first, loops.begin() + last}});
}

void propose_reorder(RandomSteps& steps) {
  Random& random = steps.random();
  std::vector<LoopRef> loops = steps.any_loops();
  if (loops.empty()) return;
  for (std::size_t k = loops.size(); k > 1; --k)
    std::swap(loops[k - 1],
              loops[static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(k) - 1))]);
  loops.resize(static_cast<std::size_t>(random.integer(1, static_cast<std::int64_t>(loops.size()))));
  steps.attempt(Reorder{loops});
}

/// Two loops, one inside the other: where bounds depend on loops around, few others may change places.
void propose_exchange(RandomSteps& steps) {
  const std::vector<LoopRef> loops = steps.any_loops();
  if (loops.size() < 2) return;
  const auto outer = static_cast<std::size_t>(steps.random().integer(0, std::ssize(loops) - 2));
  steps.attempt(Reorder{{loops[outer + 1], loops[outer]}});
}

void propose_tile(RandomSteps& steps) {
  Random& random = steps.random();
  const std::vector<LoopRef> loops = steps.any_loops();
  if (loops.size() < 2) return;
  const auto factor = [&] { return random.integer(random.chance(0.05) ? 0 : 1, 4); };
  const std::int64_t x = random.integer(0, std::ssize(loops) - 2),
                     y = random.integer(x + 1, std::ssize(loops) - 1);
  steps.attempt(Tile{loops[static_cast<std::size_t>(x)],
                     loops[static_cast<std::size_t>(random.chance(0.05) ? x : y)], factor(), factor()});
}

void propose_partition(RandomSteps& steps) {
  Random& random = steps.random();
  const std::vector<LoopRef> loops = steps.any_loops();
  if (loops.empty()) return;
  LoopPartition partition{random.pick(loops), {}};
  const auto path = path_to(steps.program(), partition.loop);
  const std::int64_t extent = constant_int(path->loop().extent).value_or(3);
  for (std::int64_t at = random.integer(1, 3); at < extent && partition.points.size() < 3;
       at += random.integer(random.chance(0.05) ? 0 : 1, 3))
    partition.points.emplace_back(at);
  steps.attempt(partition);
}

void propose_unit_loop(RandomSteps& steps) {
  const std::optional<BlockRef> block = steps.any_block();
  if (!block) return;
  const std::vector<LoopRef> loops = steps.loops_of(*block);
  if (loops.empty() || steps.random().chance(0.5))
    steps.attempt(AddUnitLoop{*block});
  else
    steps.attempt(AddUnitLoop{steps.random().pick(loops)});
}

/// Often after two of its loops were fused, so that iterators are digits.
void propose_counting(RandomSteps& steps) {
  const std::optional<BlockRef> block = steps.any_block();
  if (!block) return;
  const std::vector<LoopRef> loops = steps.loops_of(*block);
  if (loops.size() > 1 && steps.random().chance(0.5)) {
    const auto first =
        static_cast<std::size_t>(steps.random().integer(0, static_cast<std::int64_t>(loops.size()) - 2));
    steps.attempt(Fuse{{loops[first], loops[first + 1]}});
  }
  steps.attempt(IterateByLoops{*block});
}

/// The loops around a block of s whose name is unique; none where there is no such block.
std::vector<LoopRef> loops_in(RandomSteps& steps, const Stmt& s) {
  std::string name;
  visit_stmts(s, [&](const Stmt& part) {
    if (const auto* block = part.as<Block>(); block != nullptr && name.empty()) name = block->name;
  });
  if (name.empty()) return {};
  const auto found = steps.attempt(GetBlock{name, steps.program().name});
  return found.empty() ? std::vector<LoopRef>{} : steps.loops_of(std::get<BlockRef>(found[0]));
}

/// How many loops of the two nests have equal extents, from the outermost on.
std::size_t equal_loops(const Stmt& a, const Stmt& b) {
  const auto *x = a.as<For>(), *y = b.as<For>();
  if (x == nullptr || y == nullptr || !structurally_equal(x->extent, y->extent)) return 0;
  return 1 + equal_loops(x->body, y->body);
}

/// Nests that stand one after the other, as deep as they agree; sometimes others.
void propose_merge(RandomSteps& steps) {
  Random& random = steps.random();
  std::vector<std::pair<Stmt, Stmt>> neighbours;
  visit_stmts(steps.program().body, [&](const Stmt& s) {
    const auto* sequence = s.as<Seq>();
    if (sequence == nullptr) return;
    for (std::size_t i = 1; i < sequence->statements.size(); ++i) {
      const Stmt &a = sequence->statements[i - 1], &b = sequence->statements[i];
      if (a.is<For>() && b.is<For>() && (equal_loops(a, b) > 0 || random.chance(0.1)))
        neighbours.emplace_back(a, b);
    }
  });
  if (neighbours.empty()) return;
  const auto [a, b] = random.pick(neighbours);
  const auto depth = static_cast<std::int64_t>(std::max<std::size_t>(equal_loops(a, b), 1));
  const std::vector<LoopRef> first = loops_in(steps, a), second = loops_in(steps, b);
  const auto at = [&](const std::vector<LoopRef>& loops, const Stmt& outermost) {
    const LoopRef from{outermost.as<For>()->var};
    return std::find(loops.begin(), loops.end(), from) - loops.begin();
  };
  const auto i = at(first, a), j = at(second, b), deeper = random.integer(0, depth - 1);
  if (i + deeper >= std::ssize(first) || j + deeper >= std::ssize(second)) return;
  steps.attempt(
      Merge{{first[static_cast<std::size_t>(i + deeper)], second[static_cast<std::size_t>(j + deeper)]}});
}

/// Where something stands before a block under a loop; sometimes elsewhere.
void propose_fission(RandomSteps& steps) {
  Random& random = steps.random();
  std::vector<std::pair<std::string, LoopRef>> places;
  for (const Path& path : all_blocks(steps.program())) {
    bool follows = false;
    for (std::size_t i = path.size() - 1; i > 0 && !path[i - 1].is<Block>(); --i) {
      const auto* sequence = path[i - 1].as<Seq>();
      follows = follows || (sequence != nullptr && !(sequence->statements[0] == path[i]));
      const auto* loop = path[i - 1].as<For>();
      if (loop != nullptr && (follows || random.chance(0.02)))
        places.emplace_back(path.block().name, LoopRef{loop->var});
    }
  }
  if (places.empty()) return;
  const auto& [name, loop] = random.pick(places);
  const auto found = steps.attempt(GetBlock{name, steps.program().name});
  if (found.empty()) return;
  const auto block = std::get<BlockRef>(found[0]);
  steps.loops_of(block);  // so that the trace knows the loop
  steps.attempt(Fission{block, loop});
}

}  // namespace

std::vector<Proposer> loop_proposers() {
  return {{2.5, propose_split},  {2, propose_fuse},      {2.5, propose_reorder},
          {2, propose_tile},     {2, propose_partition}, {1, propose_unit_loop},
          {2, propose_counting}, {2, propose_merge},     {4.5, propose_fission}};
}

std::vector<Proposer> order_proposers() {
  return {{0.6, propose_split},
          {0.6, propose_cut},
          {0.6, propose_fuse},
          {0.7, propose_reorder},
          {2.3, propose_exchange}};
}

}  // namespace ardea::schedule
