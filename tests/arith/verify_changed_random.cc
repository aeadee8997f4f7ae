#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "ardea/arith/verify.h"
#include "ardea/ir/print.h"
#include "ardea/ir/substitute.h"
#include "ardea/ir/traverse.h"
#include "ardea/support/random.h"
#include "tests/arith/evaluate.h"
#include "tests/random/dependent_nests.h"
#include "tests/random/random_program.h"

/// Of a program that was verified and then changed somewhere, rightly or wrongly, verify_changed says what
/// verify says that proves everything anew. The changes are those that a faulty step could make: to loops,
/// bindings, domains, kinds, regions, indices, marks, and to the order of loops. Every third program's loops
/// depend on one another.

namespace ardea::arith_tests {
namespace {

/// All statements of one kind in a program, outermost first.
template <class Node>
std::vector<Stmt> all_of(const Function& f) {
  std::vector<Stmt> found;
  visit_stmts(f.body, [&](const Stmt& s) {
    if (s.is<Node>()) found.push_back(s);
  });
  return found;
}

Function with(const Function& f, const Stmt& old, const Stmt& now) {
  Function out = f;
  out.body =
      rewrite(f.body, {.stmt = [&](const Stmt& s) { return s == old ? std::optional(now) : std::nullopt; }});
  return out;
}

Expr nudged(const Expr& e, Random& random) {
  const std::int64_t by = random.integer(0, 1) == 0 ? 1 : -1;
  return e + make_int(by, e.type());
}

std::optional<Function> with_other_loop(const Function& f, Random& random) {
  const std::vector<Stmt> loops = all_of<For>(f);
  if (loops.empty()) return std::nullopt;
  const Stmt& old = random.pick(loops);
  For loop = *old.as<For>();
  switch (random.integer(0, 5)) {
    case 0: loop.extent = nudged(loop.extent, random); break;
    case 1: loop.min = nudged(loop.min, random); break;
    case 2: loop.kind = ForKind::unrolled; break;
    case 3: loop.kind = ForKind::virtual_thread; break;  // without its thread
    case 4: loop.annotations["key"] = {Expr(Var("nowhere"))}; break;
    default: {  // it changes places with the loop inside
      const auto* inner = loop.body.as<For>();
      if (inner == nullptr) return std::nullopt;
      For outer = *inner;
      loop.body = inner->body;
      outer.body = Stmt(loop);
      return with(f, old, outer);
    }
  }
  return with(f, old, loop);
}

std::optional<Function> with_other_block(const Function& f, Random& random) {
  const std::vector<Stmt> blocks = all_of<Block>(f);
  const Stmt& old = random.pick(blocks);
  Block block = *old.as<Block>();
  const std::int64_t change = random.integer(0, 7);
  if (change == 0) {
    block.annotations["key"] = {make_int(1)};
  } else if (change == 1) {
    block.predicate = {};
  } else if (change == 2) {
    auto& regions = random.integer(0, 1) == 0 ? block.reads : block.writes;
    if (!regions || regions->empty()) return std::nullopt;
    std::vector<Range>& ranges = random.integer(0, 1) == 0 ? regions->front().region : regions->back().region;
    if (ranges.empty()) return std::nullopt;
    Range& range =
        ranges[static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(ranges.size()) - 1))];
    (random.integer(0, 1) == 0 ? range.min : range.extent) = nudged(range.extent, random);
  } else if (change == 3) {
    block.init = {};
  } else {
    if (block.iterators.empty()) return std::nullopt;
    BlockIterator& i = block.iterators[static_cast<std::size_t>(
        random.integer(0, static_cast<std::int64_t>(block.iterators.size()) - 1))];
    if (change == 4) i.binding = nudged(i.binding, random);
    if (change == 5) i.domain.extent = nudged(i.domain.extent, random);
    if (change == 6) i.kind = i.kind == IteratorKind::spatial ? IteratorKind::reduce : IteratorKind::spatial;
    if (change == 7) i.binding = random.pick(block.iterators).binding;
  }
  return with(f, old, block);
}

std::optional<Function> with_other_index(const Function& f, Random& random) {
  const std::vector<Stmt> stores = all_of<Store>(f);
  if (stores.empty()) return std::nullopt;
  const Stmt& old = random.pick(stores);
  Store store = *old.as<Store>();
  if (store.indices.empty() || store.indices[0].type().is_vector()) return std::nullopt;
  store.indices[0] = nudged(store.indices[0], random);
  return with(f, old, store);
}

/// A loop that depended on others, or told something of them, no longer does.
std::optional<Function> with_loop_of_its_own(const Function& f, Random& random) {
  std::vector<Stmt> loops = all_of<For>(f);
  std::erase_if(loops, [](const Stmt& s) {
    const For& loop = *s.as<For>();
    return constant_int(loop.min) && constant_int(loop.extent);
  });
  if (loops.empty()) return std::nullopt;
  const Stmt& old = random.pick(loops);
  For loop = *old.as<For>();
  loop.min = make_int(random.integer(0, 2), loop.var.type());
  loop.extent = make_int(random.integer(1, 5), loop.var.type());
  return with(f, old, loop);
}

std::optional<Function> changed(const Function& f, Random& random) {
  switch (random.integer(0, 6)) {
    case 0: return with_other_index(f, random);
    case 1:
    case 2: return with_other_loop(f, random);
    case 3:
    case 4: return with_loop_of_its_own(f, random);
    default: return with_other_block(f, random);
  }
}

bool has_dependent_loops(const Function& f) {
  std::vector<Var> loops;
  visit_stmts(f.body, [&](const Stmt& s) {
    if (const auto* loop = s.as<For>()) loops.push_back(loop->var);
  });
  const std::vector<Stmt> all = all_of<For>(f);
  return std::any_of(all.begin(), all.end(), [&](const Stmt& s) {
    const For& loop = *s.as<For>();
    return std::any_of(loops.begin(), loops.end(),
                       [&](const Var& var) { return uses(loop.min, var) || uses(loop.extent, var); });
  });
}

TEST(VerifyChanged, says_of_random_changes_what_verify_says) {
  int right = 0, wrong = 0, dependent = 0;
  for (std::uint64_t seed = 1; seed <= cases(600); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const Function f =
        seed % 3 == 0 ? random_programs::dependent_nests(random) : random_programs::random_program(random);
    ASSERT_TRUE(arith::verify(f).empty()) << print(f);
    dependent += has_dependent_loops(f) ? 1 : 0;
    for (int round = 0; round < 8; ++round) {
      const std::optional<Function> other = changed(f, random);
      if (!other) continue;
      const auto all = arith::verify(*other), some = arith::verify_changed(*other, f);
      (all.empty() ? right : wrong)++;
      ASSERT_EQ(all.empty(), some.empty()) << print(f) << "\nbecame\n"
                                           << print(*other) << (all.empty() ? some : all)[0].message;
      if (!all.empty()) {
        ASSERT_EQ(all[0].law, some[0].law) << print(*other);
      }
    }
  }
  fmt::print("{} changes that hold, {} that do not; {} programs with dependent loops\n", right, wrong,
             dependent);
  EXPECT_GT(dependent, static_cast<int>(cases(600)) / 6);
  EXPECT_GT(right, static_cast<int>(cases(600)) / 4);
  EXPECT_GT(wrong, static_cast<int>(cases(600)) / 2);
}

}  // namespace
}  // namespace ardea::arith_tests
