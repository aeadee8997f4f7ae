#include <fmt/core.h>
#include <gtest/gtest.h>

#include "ardea/ir/print.h"
#include "ardea/ir/traverse.h"
#include "ardea/lower/gpu/launch.h"
#include "ardea/lower/pipeline.h"
#include "ardea/support/random.h"
#include "thread_answers.h"

/// Random programs of two or three warps of 32 lanes, a row of shared memory for each: what they exchange
/// stays in a warp or does not, in loops and under conditions. A barrier of a warp stands wherever that will
/// do, and nowhere else. What they cannot be: rows are told by single warps, turned or constant; copies that
/// are under way (golden/narrow_barriers.txt and the products of tests/gpu_rules have them).

namespace ardea::lower {

namespace {

class WarpWriter {
 public:
  explicit WarpWriter(std::uint64_t seed) : random_(seed), warps_(static_cast<int>(random_.integer(2, 3))) {}

  std::string program() {
    line(0, "@T.prim_func");
    line(0, "def random(X: T.Buffer(({0}, 32), \"int32\"), Y: T.Buffer(({0}, 32), \"int32\")):", warps_);
    line(1, "for b in T.thread_binding(1, thread=\"blockIdx.x\"):");
    for (int s = 0; s < buffers; ++s) {
      line(2, "M{} = T.allocate([{}, 32], \"int32\", \"shared\")", s, warps_);
      line(2, "S{0} = T.Buffer(({1}, 32), \"int32\", data=M{0}, scope=\"shared\")", s, warps_);
    }
    for (int s = 0; s < buffers; ++s) each(2, fmt::format("S{}[w, t] = X[w, t] + {}", s, s));
    actions(2, 3);
    each(2, fmt::format("Y[w, t] = {}", element(draw(buffers))));
    return text_;
  }

 private:
  static constexpr int buffers = 2;

  template <class... Args>
  void line(int depth, fmt::format_string<Args...> format, Args&&... args) {
    text_ += std::string(static_cast<std::size_t>(depth) * 4, ' ') +
             fmt::format(format, std::forward<Args>(args)...) + "\n";
  }
  void each(int depth, const std::string& what) {
    line(depth, "for w in T.thread_binding({}, thread=\"threadIdx.y\"):", warps_);
    line(depth + 1, "for t in T.thread_binding(32, thread=\"threadIdx.x\"):");
    line(depth + 2, "{}", what);
  }

  int draw(int count) { return static_cast<int>(random_.integer(0, count - 1)); }

  /// More often of the warp's own row.
  std::string element(int buffer) {
    const std::vector<std::string> rows = {"w",
                                           "w",
                                           "w",
                                           "w",
                                           "w",
                                           fmt::format("{} - w", warps_ - 1),
                                           fmt::format("(w + 1) % {}", warps_),
                                           std::to_string(draw(warps_))};
    const std::vector<std::string> columns = {"t", "31 - t", fmt::format("(t + {}) % 32", 1 + draw(31)),
                                              std::to_string(draw(32))};
    return fmt::format("S{}[{}, {}]", buffer, rows[static_cast<std::size_t>(draw(8))],
                       columns[static_cast<std::size_t>(draw(4))]);
  }

  void actions(int depth, int most_depth) {
    for (int count = 1 + draw(3); count > 0; --count) action(depth, most_depth);
  }

  void action(int depth, int most_depth) {
    const int to = draw(buffers);
    switch (draw(depth < most_depth ? 5 : 3)) {
      case 0: each(depth, fmt::format("S{0}[w, t] = S{0}[w, t] + X[w, t]", to)); break;
      case 1:
      case 2: each(depth, fmt::format("S{}[w, t] = {} * 3 + 1", to, element(1 - to))); break;
      case 3:
        line(depth, "for r{} in range({}):", names_, 2 + draw(2));
        ++names_;
        actions(depth + 1, most_depth);
        break;
      default: line(depth, "if b < {}:", draw(2)); actions(depth + 1, most_depth);
    }
  }

  Random random_;
  int warps_;
  std::string text_;
  int names_ = 0;
};

bool is_warp_barrier(const Stmt& s) { return s.is<Evaluate>() && print(s) == print(make_warp_barrier()); }

/// f with `other` in the place of the statement of that number among those that are `wanted`.
template <class Wanted, class Other>
Function with_other(const Function& f, const Wanted& wanted, int number, const Other& other) {
  Function out = f;
  int next = 0;
  out.body = rewrite(f.body, Rewriter{.stmt_after = [&](const Stmt& s) {
                       return wanted(s) && next++ == number ? other() : s;
                     }});
  return out;
}

int count_of(const Function& f, bool (*wanted)(const Stmt&)) {
  int count = 0;
  visit_stmts(f.body, [&](const Stmt& s) { count += wanted(s) ? 1 : 0; });
  return count;
}

TEST(RandomWarps, wait_for_themselves_where_that_will_do) {
  const target::Target target = target::find("a100");
  int of_warps = 0, of_blocks = 0, missed_of_warps = 0, missed_of_blocks = 0;
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    const Program program{"random", WarpWriter(seed).program()};
    SCOPED_TRACE(fmt::format("seed {}\n{}", seed, program.text));
    const ThreadAnswers answers(program, seed);
    const Function narrow = lower_until(answers.program(), target, "narrow_barriers");
    for (const std::uint64_t order : {seed, seed + 1})
      ASSERT_EQ(answers.fault_of(narrow, order), "") << print(narrow);
    const auto is_missed = [&](const Function& f) { return !answers.fault_of(f, seed).empty(); };
    for (int number = 0; number < count_of(narrow, is_warp_barrier); ++number, ++of_warps)
      missed_of_warps += is_missed(with_other(narrow, is_warp_barrier, number, make_no_op)) ? 1 : 0;
    for (int number = 0; number < count_of(narrow, is_block_barrier); ++number, ++of_blocks)
      missed_of_blocks += is_missed(with_other(narrow, is_block_barrier, number, make_warp_barrier)) ? 1 : 0;
  }
  EXPECT_GT(of_warps, 20);
  EXPECT_GT(of_blocks, 20);
  // Conditions on blocks that never hold hide some.
  EXPECT_GE(missed_of_warps, of_warps * 8 / 10) << missed_of_warps << " of " << of_warps;
  EXPECT_GE(missed_of_blocks, of_blocks * 8 / 10) << missed_of_blocks << " of " << of_blocks;
}

}  // namespace

}  // namespace ardea::lower
