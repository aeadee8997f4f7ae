#include <gtest/gtest.h>

#include "ardea/arith/verify.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/print.h"
#include "ardea/ir/traverse.h"
#include "ardea/ir/unroll_hint.h"
#include "ardea/limits/steps.h"
#include "ardea/lower/pipeline.h"
#include "ardea/support/random.h"
#include "programs.h"
#include "tests/support/sampled.h"

/// Large nests have two versions, one for where their tails and padding ask nothing and a small one for
/// anywhere else, instead of a copy for each border.

namespace ardea::lower {

namespace {

std::int64_t steps_in(const Stmt& s) {
  std::int64_t steps = 0;
  visit_stmts(s, [&](const Stmt& part) { steps += limits::is_step(part) ? 1 : 0; });
  return steps;
}

bool asks(const Stmt& s) {
  bool found = false;
  visit_stmts(s, [&](const Stmt& part) {
    const auto* store = part.as<Store>();
    found = found || part.is<If>() || (store != nullptr && store->predicate.defined());
  });
  visit_exprs(s, [&](const Expr& e) {
    const auto* call = e.as<Call>();
    found = found || e.is<Select>() || (call != nullptr && call->op->name == "if_then_else");
  });
  return found;
}

int rolled_loops_in(const Function& f) {
  int count = 0;
  visit_stmts(f.body, [&](const Stmt& s) {
    const auto* loop = s.as<For>();
    count += loop != nullptr && loop->annotations.contains(rolled_key) ? 1 : 0;
  });
  return count;
}

/// The first condition with an `else`: the two versions.
const If* versions_in(const Stmt& s) {
  const If* found = nullptr;
  visit_stmts(s, [&](const Stmt& part) {
    const auto* branch = part.as<If>();
    if (found == nullptr && branch != nullptr && branch->else_case.defined()) found = branch;
  });
  return found;
}

/// Two padded 3 x 3 sums over an image of any size, unrolled and in vectors. Of bench/compile_speed.cc, as it
/// is scheduled there.
const std::string stencil = R"(
@T.prim_func
def blur(a: T.handle, b: T.handle):
    n = T.int64()
    m = T.int64()
    A = T.match_buffer(a, (n, m), "float32")
    C = T.match_buffer(b, (n, m), "float32")
    B = T.alloc_buffer((n, m), "float32")
    for y_0, x_0 in T.grid((n + 3) // 4, (m + 31) // 32):
        for ax0, ax1_0 in T.grid(6, 5):
            for ax2 in T.unroll(3):
                for ax3 in T.unroll(3):
                    for ax1_1 in T.vectorized(8):
                        with T.block("B"):
                            vy = T.axis.spatial(n, y_0 * 4 + ax0 - 1)
                            vx = T.axis.spatial(m, x_0 * 32 + ax1_0 * 8 + ax1_1 - 1)
                            vry, vrx = T.axis.remap("RR", [ax2, ax3])
                            T.where(y_0 * 4 + ax0 >= 1 and y_0 * 4 + ax0 < n + 1 and x_0 * 32 + ax1_0 * 8 + ax1_1 >= 1 and x_0 * 32 + ax1_0 * 8 + ax1_1 < m + 1 and ax1_0 * 8 + ax1_1 < 34)
                            with T.init():
                                B[vy, vx] = T.float32(0)
                            B[vy, vx] = B[vy, vx] + T.if_then_else(vy + vry >= 1 and vy + vry < n + 1 and vx + vrx >= 1 and vx + vrx < m + 1, A[vy + vry - 1, vx + vrx - 1], T.float32(0))
        for y_1 in T.unroll(4):
            for ry in T.unroll(3):
                for rx in T.unroll(3):
                    for x_1 in T.vectorized(32):
                        with T.block("C"):
                            vy = T.axis.spatial(n, y_0 * 4 + y_1)
                            vx = T.axis.spatial(m, x_0 * 32 + x_1)
                            vry, vrx = T.axis.remap("RR", [ry, rx])
                            T.where(y_0 * 4 + y_1 < n and x_0 * 32 + x_1 < m)
                            with T.init():
                                C[vy, vx] = T.float32(0)
                            C[vy, vx] = C[vy, vx] + T.if_then_else(vy + vry >= 1 and vy + vry < n + 1 and vx + vrx >= 1 and vx + vrx < m + 1, B[vy + vry - 1, vx + vrx - 1], T.float32(0))
)";

class Stencil : public ::testing::TestWithParam<const char*> {};

/// Inside: 36 sums of C, 4 of them with an init, in as many vectors as 32 numbers take where that are few,
/// and of B 9 with an init of 8 numbers and of the last 2. The rest: each sum once, and the tests that it
/// needs.
TEST_P(Stencil, is_copied_once) {
  const Function f = lower_until(function_of(stencil), target::find(GetParam()), "unroll_loops");
  const If* versions = versions_in(f.body);
  ASSERT_NE(versions, nullptr) << print(f);
  EXPECT_FALSE(asks(versions->then_case)) << print(f);
  const target::Target target = target::find(GetParam());
  const std::int64_t lanes = target.vector_bits / 32;
  const std::int64_t inside = 40 * (lanes < 8 ? 1 : 32 / lanes) + 10 * (lanes < 8 ? 8 / lanes : 1) + 10;
  EXPECT_EQ(steps_in(versions->then_case), inside) << print(f);
  EXPECT_LE(steps_in(versions->else_case), 24) << print(f);
  EXPECT_LE(steps_in(f.body), steps_in(versions->then_case) + steps_in(versions->else_case) + 1) << print(f);
}

TEST_P(Stencil, keeps_its_answers_at_every_border) {
  const target::Target target = target::find(GetParam());
  const Function original = function_of(stencil),
                 lowered = lower_until(original, target, "eliminate_common_subexpressions");
  for (const auto& [n, m] : {std::pair(1, 1), {3, 33}, {5, 31}, {10, 72}}) {
    const Program program{"stencil", "", {{"n", n}, {"m", m}}};
    const std::vector<interp::Argument> given = arguments_of(original, program, 7);
    std::vector<interp::Argument> wanted = copies(given), got = copies(given);
    interp::run(original, wanted);
    interp::run(lowered, got);
    EXPECT_EQ(difference(wanted, got, 0), "") << n << " x " << m;
  }
}

const auto target_name = [](const auto& info) {
  std::string name = info.param;
  for (char& c : name) c = std::isalnum(c) != 0 ? c : '_';
  return name;
};
const auto targets = ::testing::Values("generic-aarch64", "generic-x86_64", "avx2", "skylake-avx512");
INSTANTIATE_TEST_SUITE_P(Lowering, Stencil, targets, target_name);

std::string partitioned(const std::string& text) {
  return print(lower_until(function_of(text), generic_machine(), "partition_loops"));
}

/// Pieces of known sizes are tiles of their own, without a question.
TEST(Interiors, leave_tails_of_known_size_to_cuts) {
  const std::string text = partitioned(R"(
@T.prim_func
def sums(A: T.Buffer((37, 43), "float32"), B: T.Buffer((43, 41), "float32"), C: T.Buffer((37, 41), "float32")):
    for i_0, j_0, k in T.grid(10, 2, 43):
        for i_1 in T.unroll(4):
            for j_1 in T.vectorized(32):
                if i_0 * 4 + i_1 < 37 and j_0 * 32 + j_1 < 41:
                    C[i_0 * 4 + i_1, j_0 * 32 + j_1] = C[i_0 * 4 + i_1, j_0 * 32 + j_1] + A[i_0 * 4 + i_1, k] * B[k, j_0 * 32 + j_1]
        for i_1 in T.unroll(4):
            for j_1 in T.vectorized(32):
                if i_0 * 4 + i_1 < 37 and j_0 * 32 + j_1 < 41:
                    C[i_0 * 4 + i_1, j_0 * 32 + j_1] = C[i_0 * 4 + i_1, j_0 * 32 + j_1] * T.float32(2)
)");
  EXPECT_EQ(text.find(rolled_key), std::string::npos) << text;
  EXPECT_EQ(text.find("if "), std::string::npos) << text;
}

/// S[i, j] = S[i, j] + (X[k] where CONDITION), in tiles of 8 rows and 64 lanes.
std::string tiles(const std::string& condition) {
  return partitioned(R"(
@T.prim_func
def tiles(x: T.handle, s: T.handle):
    n = T.int64()
    m = T.int64()
    X = T.match_buffer(x, (17,), "float32")
    S = T.match_buffer(s, (n, m), "float32")
    for i_0, j_0, k in T.grid(n // 8, (m + 63) // 64, 17):
        for i_1 in T.unroll(8):
            for j_1 in T.vectorized(64):
                if )" +
                     condition +
                     R"( and j_0 * 64 + j_1 < m:
                    S[i_0 * 8 + i_1, j_0 * 64 + j_1] = S[i_0 * 8 + i_1, j_0 * 64 + j_1] + X[k]
)");
}

/// Borders have few tiles; on both sides of a diagonal there are many, and each side is a loop.
TEST(Interiors, leave_diagonals_to_cuts) {
  EXPECT_NE(tiles("j_0 * 64 + j_1 >= 3").find(rolled_key), std::string::npos);
  EXPECT_EQ(tiles("j_0 * 64 + j_1 <= i_0 * 8 + i_1").find(rolled_key), std::string::npos);
}

/// A choice between two arrays is no border: both sides are many tiles.
TEST(Interiors, are_not_asked_for_by_choices_between_two_arrays) {
  const auto joined = [](const std::string& other) {
    return partitioned(R"(
@T.prim_func
def joined(a: T.handle, b: T.handle, c: T.handle):
    n = T.int64()
    m = T.int64()
    A = T.match_buffer(a, (n,), "float32")
    B = T.match_buffer(b, (m,), "float32")
    C = T.match_buffer(c, (m,), "float32")
    for i_0 in range(m // 64):
        for k in T.unroll(8):
            for i_1 in T.vectorized(64):
                C[i_0 * 64 + i_1] = C[i_0 * 64 + i_1] + T.if_then_else(i_0 * 64 + i_1 < n, A[i_0 * 64 + i_1], )" +
                       other + ")\n");
  };
  EXPECT_NE(joined("T.float32(0)").find(rolled_key), std::string::npos);
  EXPECT_EQ(joined("B[i_0 * 64 + i_1]").find(rolled_key), std::string::npos);
}

/// The loop over k asks once, not in each of its iterations.
TEST(Interiors, stand_around_loops_that_do_not_change_them) {
  const std::string text = tiles("j_0 * 64 + j_1 >= 3");
  const std::size_t asked = text.find("if j_0 * 64 >= 3 and m >= j_0 * 64 + 64:\n");
  ASSERT_NE(asked, std::string::npos) << text;
  EXPECT_EQ(text.find("for k", asked), text.find("for", asked)) << text;
}

/// What is summed in memory of one thread stays in registers only if no version of the code computes its
/// index: the versions do not share it.
TEST(Interiors, have_small_memory_of_their_own) {
  const auto text = [](const std::string& around, const std::string& inside) {
    return partitioned(R"(
@T.prim_func
def sums(x: T.handle, s: T.handle):
    n = T.int64()
    X = T.match_buffer(x, (n, 17), "float32")
    S = T.match_buffer(s, (n,), "float32")
)" + around + "    for i_0 in range((n + 63) // 64):\n" +
                       inside + R"(        for i_1 in T.unroll(64):
            R_1[i_1] = T.float32(0)
        for k in range(17):
            for i_1 in T.unroll(64):
                if i_0 * 64 + i_1 < n:
                    R_1[i_1] = R_1[i_1] + X[i_0 * 64 + i_1, k]
        for i_1 in T.unroll(64):
            if i_0 * 64 + i_1 < n:
                S[i_0 * 64 + i_1] = R_1[i_1]
)");
  };
  const auto memory = [](const std::string& indent) {
    return indent + "R = T.allocate([64], \"float32\", \"local\")\n" + indent +
           "R_1 = T.Buffer((64,), data=R, scope=\"local\")\n";
  };
  const std::string own = text("", memory("        "));
  const std::string shared = text(memory("    ") + "    R_1[0] = T.float32(1)\n", "");
  EXPECT_NE(own.find("else:\n            R"), std::string::npos) << own;
  EXPECT_NE(own.find(rolled_key), std::string::npos) << own;
  EXPECT_EQ(shared.find(rolled_key), std::string::npos) << shared;
}

/// A tiled, padded sum of one or two dimensions: sizes known or not, windows with steps, loops of any kind
/// and order inside of the tile, guards in either form, other choices of values beside the padding, sums in
/// memory or in local memory. Not: diagonals, loops whose bounds depend on others (random_lanes.cc has them).
std::string random_padded_sum(Random& random, std::int64_t n, std::int64_t m) {
  const auto pick = [&](std::vector<std::string> all) {
    return all[static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(all.size()) - 1))];
  };
  const auto number = [](std::int64_t value) { return std::to_string(value); };
  const bool is_symbolic = random.integer(0, 2) != 0;
  const std::int64_t rows = random.integer(1, 5), columns = random.integer(3, 33),
                     taps = random.integer(1, 4), pad = random.integer(0, 3), step = random.integer(1, 2);
  const std::string height = is_symbolic ? "n" : number(n), width = is_symbolic ? "m" : number(m),
                    type = pick({"float32", "int32", "int8"}), T = "T." + type;
  const std::string y = "(y_0 * " + number(rows) + " + y_1)", x = "(x_0 * " + number(columns) + " + x_1)";
  const std::string up = y + " + ry * " + number(step) + " - " + number(pad),
                    left = x + " + rx - " + number(pad);
  std::string text = "\n@T.prim_func\ndef padded(a: T.handle, c: T.handle):\n";
  if (is_symbolic) text += "    n = T.int64()\n    m = T.int64()\n";
  text += "    A = T.match_buffer(a, (" + height + ", " + width + "), \"" + type + "\")\n";
  text += "    C = T.match_buffer(c, (" + height + ", " + width + "), \"" + type + "\")\n";
  std::string indent = "    ";
  const auto open = [&](const std::string& line) {
    text += indent + line + "\n";
    indent += "    ";
  };
  const auto blocks = [&](const std::string& size, std::int64_t tile) {
    return "(" + size + " + " + number(tile - 1) + ") // " + number(tile);
  };
  open("for y_0 in " + pick({"range", "range", "T.parallel"}) + "(" + blocks(height, rows) + "):");
  open("for x_0 in range(" + blocks(width, columns) + "):");
  const std::string kind = pick({"T.unroll", "T.unroll", "T.unroll", "range"});
  std::vector<std::string> loops = {
      "for y_1 in " + kind + "(" + number(rows) + "):",
      "for ry in " + pick({"T.unroll", "range"}) + "(" + number(taps) + "):",
      "for rx in " + kind + "(" + number(taps) + "):",
      "for x_1 in " + pick({"T.vectorized", "T.vectorized", "T.unroll"}) + "(" + number(columns) + "):"};
  if (random.integer(0, 1) == 0) std::swap(loops[0], loops[1]);
  if (random.integer(0, 3) == 0) std::swap(loops[2], loops[3]);
  for (const std::string& loop : loops) open(loop);
  open("if " +
       pick({y + " < " + height + " and " + x + " < " + width,
             height + " > " + y + " and not " + x + " >= " + width,
             x + " < " + width + " and (" + y + " < " + height + " and ry >= 0)"}) +
       ":");
  if (random.integer(0, 1) == 0)
    text += indent + "if ry == 0 and rx == 0:\n" + indent + "    C[" + y + ", " + x + "] = " + T + "(0)\n";
  const std::string inside =
      pick({up + " >= 0 and " + up + " < " + height + " and 0 <= " + left + " and " + left + " < " + width,
            "0 <= " + left + " and " + left + " < " + width + " and (" + up + " >= 0 and " + height + " > " +
                up + ")"});
  const std::string other = pick({T + "(0)", T + "(3)", "C[" + y + ", " + x + "]"});
  const std::string value = "T.if_then_else(" + inside + ", A[" + up + ", " + left + "], " + other + ")";
  text += indent + "C[" + y + ", " + x + "] = C[" + y + ", " + x + "] + " + value +
          pick({"", " * " + T + "(2)", " + T.if_then_else(x_0 < y_0, " + T + "(1), " + T + "(2))"}) + "\n";
  if (random.integer(0, 3) == 0)
    text += indent.substr(4) + "else:\n" + indent + "A[0, 0] = A[0, 0] + " + T + "(0)\n";
  return text;
}

class RandomPadding : public ::testing::TestWithParam<const char*> {};

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::size_t padded_sums = 5;
#else
constexpr std::size_t padded_sums = 30;
#endif

TEST_P(RandomPadding, keeps_the_answers_after_every_pass) {
  const target::Target target = target::find(GetParam());
  int in_versions = 0, cut = 0;
  const std::size_t seeds_of_sums = test::sampled_count(2, padded_sums);
  for (std::uint64_t seed = 1; seed <= seeds_of_sums; ++seed) {
    Random random(seed);
    const std::int64_t n = random.integer(1, 9), m = random.integer(1, 45);
    const std::string text = random_padded_sum(random, n, m);
    const Function original = function_of(text);
    const Program program{"padded", "", {{"n", n}, {"m", m}}};
    const std::vector<interp::Argument> given = arguments_of(original, program, seed);
    std::vector<interp::Argument> wanted = copies(given);
    interp::run(original, wanted);
    Function f = original;
    for (const Pass& pass : pipeline(target)) {
      if (pass.name == "legalise_types") break;
      f = pass.run(f, target);
      if (pass.name != "partition_loops" && pass.name != "vectorize" && pass.name != "unroll_loops" &&
          pass.name != "eliminate_common_subexpressions")
        continue;
      if (pass.name == "partition_loops") (rolled_loops_in(f) > 0 ? in_versions : cut) += 1;
      for (const arith::Violation& v : arith::verify(f))
        ADD_FAILURE() << pass.name << ", seed " << seed << ": " << v.message << "\n" << text << print(f);
      std::vector<interp::Argument> got = copies(given);
      try {
        interp::run(f, got);
      } catch (const std::exception& error) {
        FAIL() << pass.name << ", seed " << seed << ": " << error.what() << "\n" << text << print(f);
      }
      ASSERT_EQ(difference(wanted, got, 0), "") << pass.name << ", seed " << seed << "\n" << text << print(f);
    }
  }
  if (padded_sums < 30) return;
  EXPECT_GT(in_versions, test::takes_all_cases() ? 8 : 2);
  EXPECT_GT(cut, test::takes_all_cases() ? 5 : 2);
}

INSTANTIATE_TEST_SUITE_P(Lowering, RandomPadding, ::testing::Values("generic-aarch64", "avx2"), target_name);

}  // namespace

}  // namespace ardea::lower
