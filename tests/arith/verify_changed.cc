#include <gtest/gtest.h>

#include "ardea/arith/regions.h"
#include "ardea/arith/verify.h"
#include "ardea/arith/work.h"
#include "ardea/ir/parse.h"
#include "ardea/ir/traverse.h"

/// A program that differs from a verified one is verified where it differs.

namespace ardea::arith_tests {
namespace {

Function two_nests() {
  return arith::complete_regions(parse_function(R"(
@T.prim_func
def main(A: T.Buffer((16, 16), "float32"), B: T.Buffer((16, 16), "float32"), C: T.Buffer((16, 16), "float32")):
    for i, j in T.grid(16, 16):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] * T.float32(2.0)
    for x, y in T.grid(16, 16):
        with T.block("C"):
            vx, vy = T.axis.remap("SS", [x, y])
            C[vx, vy] = B[vx, 15 - vy]
)"));
}

/// With the loop of that name as `change` makes it.
template <class Change>
Function with_loop(const Function& f, const std::string& name, const Change& change) {
  Function out = f;
  out.body = rewrite(f.body, {.stmt = [&](const Stmt& s) -> std::optional<Stmt> {
                       const auto* loop = s.as<For>();
                       if (loop == nullptr || loop->var.name() != name) return std::nullopt;
                       For changed = *loop;
                       change(changed);
                       return Stmt(changed);
                     }});
  return out;
}

std::int64_t steps_of(const Function& f, const Function& verified) {
  const std::int64_t before = arith::Question::steps_taken();
  EXPECT_TRUE(arith::verify_changed(f, verified).empty());
  return arith::Question::steps_taken() - before;
}

TEST(VerifyChanged, asks_nothing_about_what_is_the_same) {
  const Function f = two_nests();
  EXPECT_EQ(steps_of(f, f), 0);
  // Another kind of loop around the same block changes nothing of what is proved.
  const Function marked = with_loop(f, "j", [](For& loop) { loop.kind = ForKind::unrolled; });
  EXPECT_EQ(steps_of(marked, f), 0);
  Function annotated = f;
  annotated.body = rewrite(f.body, {.stmt = [&](const Stmt& s) -> std::optional<Stmt> {
                             const auto* block = s.as<Block>();
                             if (block == nullptr || block->name != "C") return std::nullopt;
                             Block changed = *block;
                             changed.annotations.emplace("role", make_int(1));
                             return Stmt(changed);
                           }});
  EXPECT_EQ(steps_of(annotated, f), 0);
}

TEST(VerifyChanged, asks_about_a_block_whose_loops_have_changed) {
  const Function f = two_nests();
  const Function longer = with_loop(f, "y", [](For& loop) { loop.extent = make_int(17); });
  const auto violations = arith::verify_changed(longer, f);
  ASSERT_FALSE(violations.empty());
  EXPECT_EQ(violations[0].law, "binding_out_of_domain");
  EXPECT_EQ(violations[0].message, arith::verify(longer)[0].message);
}

TEST(VerifyChanged, asks_about_a_new_block) {
  const Function f = two_nests();
  Function wrong = f;
  wrong.body = rewrite(f.body, {.stmt = [&](const Stmt& s) -> std::optional<Stmt> {
                         const auto* block = s.as<Block>();
                         if (block == nullptr || block->name != "C") return std::nullopt;
                         Block changed = *block;
                         changed.reads->clear();
                         return Stmt(changed);
                       }});
  const auto violations = arith::verify_changed(wrong, f);
  ASSERT_FALSE(violations.empty());
  EXPECT_EQ(violations[0].law, "read_region_missing");
}

TEST(VerifyChanged, asks_again_where_another_loop_told_of_a_binding) {
  // Where j runs, i is at most 1: that the other loop is gone is said of i, too.
  const Function f = arith::complete_regions(parse_function(R"(
@T.prim_func
def main(A: T.Buffer((2, 2), "float32")):
    for i in range(5):
        for j in range(i, 2):
            with T.block("A"):
                vi = T.axis.opaque(2, i)
                vj = T.axis.opaque(2, j)
                A[vi, vj] = T.float32(1.0)
)"));
  ASSERT_TRUE(arith::verify(f).empty());
  const Function alone = with_loop(f, "j", [](For& loop) {
    loop.min = make_int(0);
    loop.extent = make_int(2);
  });
  const auto violations = arith::verify_changed(alone, f);
  ASSERT_FALSE(violations.empty());
  EXPECT_EQ(violations[0].message, arith::verify(alone)[0].message);
}

TEST(VerifyChanged, costs_less_where_one_of_two_nests_has_changed) {
  const Function f = two_nests();
  const Function shorter = with_loop(f, "y", [](For& loop) { loop.extent = make_int(16) * 1; });
  const Function both = with_loop(with_loop(f, "y", [](For& loop) { loop.min = make_int(1) - 1; }), "j",
                                  [](For& loop) { loop.min = make_int(1) - 1; });
  const std::int64_t one = steps_of(shorter, f), two = steps_of(both, f);
  EXPECT_GT(one, 0);
  EXPECT_GT(two, one);
}

}  // namespace
}  // namespace ardea::arith_tests
