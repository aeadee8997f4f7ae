#include <gtest/gtest.h>

#include "ardea/ir/parse.h"
#include "ardea/ir/print.h"
#include "ardea/ir/traverse.h"
#include "ardea/lower/notes.h"
#include "ardea/lower/pipeline.h"
#include "programs.h"
#include "rules.h"

namespace ardea::lower {

namespace {

std::string unrolled(const std::string& body) { return body_after("unroll_loops", body); }

TEST(Unroll, writes_marked_loops_out_and_decides_their_guards) {
  EXPECT_EQ(unrolled("for i in T.unroll(2, 6):\n"
                     "    if i < 4:\n"
                     "        Y[i] = X[i]\n"),
            "Y[2] = X[2]\n"
            "Y[3] = X[3]\n");
}

TEST(Unroll, gives_every_copy_definitions_of_its_own) {
  EXPECT_EQ(unrolled("for i in T.unroll(2):\n"
                     "    for j in range(3):\n"
                     "        x: T.float32 = X[i * 3 + j]\n"
                     "        Y[i * 3 + j] = x * x\n"),
            "for j in range(3):\n"
            "    x: T.float32 = X[j]\n"
            "    Y[j] = x * x\n"
            "for j in range(3):\n"
            "    x: T.float32 = X[j + 3]\n"
            "    Y[j + 3] = x * x\n");
}

TEST(Unroll, leaves_a_loop_of_unknown_extent_to_the_backend) {
  const std::string body = "for i in T.unroll(T.max(T.min(n, T.int64(5)), T.int64(1))):\n    Y[i] = X[i]\n";
  EXPECT_NE(unrolled(body).find("in T.unroll("), std::string::npos) << unrolled(body);
}

TEST(Unroll, stops_before_a_nest_explodes) {
  const auto nest = [](int outer) {
    return "for i in T.unroll(" + std::to_string(outer) +
           "):\n    for j in T.unroll(32):\n        Y[j] = X[i]\n";
  };
  EXPECT_EQ(unrolled(nest(32)).find("for"), std::string::npos);
  const std::string kept = unrolled(nest(33));
  EXPECT_TRUE(
      kept.starts_with("for i in T.serial(33, annotations={\"unroll_refused\": 1056}):\n    Y[0] = X[i]\n"))
      << kept;
}

TEST(Unroll, bounds_what_it_leaves_to_the_backend_over_a_whole_nest) {
  // Of unknown extents a backend makes eight copies each: 512 steps, then 4,096.
  const auto nest = [](int loops) {
    std::string text, indent;
    for (int i = 0; i < loops; ++i, indent += "    ")
      text +=
          indent + "for i" + std::to_string(i) + " in T.unroll(T.max(T.min(n, T.int64(2)), T.int64(1))):\n";
    return text + indent + "Y[0] = X[i0]\n";
  };
  EXPECT_EQ(unrolled(nest(3)).find("unroll_refused"), std::string::npos) << unrolled(nest(3));
  const std::string four = unrolled(nest(4));
  EXPECT_TRUE(four.starts_with("for i0 in T.serial(")) << four;
  EXPECT_NE(four.find("\"unroll_refused\": 4096"), std::string::npos) << four;
  EXPECT_NE(four.find("for i1 in T.unroll("), std::string::npos) << four;
}

TEST(Unroll, says_what_it_did_not_do) {
  const Function f = parse(R"(
@T.prim_func
def cube(A: T.Buffer((64, 64, 64), "float32")):
    for i in T.unroll(64):
        for j in T.unroll(64):
            for k in T.unroll(64):
                with T.block("b"):
                    vi, vj, vk = T.axis.remap("SSS", [i, j, k])
                    A[vi, vj, vk] = T.float32(1)
)")
                         .functions[0];
  const std::vector<std::string> sentences = notes(lower(f, target::find("generic-aarch64")));
  ASSERT_EQ(sentences.size(), 2U);
  EXPECT_EQ(sentences[0],
            "cube: loop i stays a loop though it is marked unroll: with the loops inside it would be 4096 "
            "steps, at most "
            "1024 are written out; unroll fewer loops, or split them and unroll the inner parts");
}

TEST(IndependentLanes, says_which_loops_it_makes_serial) {
  const Function f = parse(R"(
@T.prim_func
def running(A: T.Buffer((64,), "float32")):
    for i in T.vectorized(63):
        with T.block("b"):
            vi = T.axis.opaque(63, i)
            A[vi + 1] = A[vi] * T.float32(2)
)")
                         .functions[0];
  const std::vector<std::string> sentences = notes(lower(f, target::find("generic-aarch64")));
  ASSERT_EQ(sentences.size(), 1U);
  EXPECT_EQ(
      sentences[0],
      "running: loop i is serial though it is marked vectorized: it is not proved that its iterations touch "
      "no memory in common; vectorize another loop, or give each iteration memory of its own");
}

TEST(Unroll, does_not_read_a_bound_again_that_the_body_may_write) {
  const std::string body =
      "for i in T.unroll(T.Cast(\"int64\", K[0]) % T.int64(8), T.Cast(\"int64\", K[0]) % T.int64(8) + "
      "T.int64(2)):\n"
      "    K[0] = 5\n"
      "    Y[i] = X[i]\n";
  body_after("unroll_loops", body);  // runs both
}

// pragma_auto_unroll_max_step

TEST(AutoUnroll, unrolls_from_the_innermost_loop_on_while_the_steps_allow) {
  const auto nest = [](int steps) {
    return "for i in T.serial(2, annotations={\"pragma_auto_unroll_max_step\": " + std::to_string(steps) +
           "}):\n    for j in range(2):\n        for k in range(2):\n            Y[i * 4 + j * 2 + k] = "
           "X[k]\n";
  };
  EXPECT_EQ(unrolled(nest(1)),
            "for i, j, k in T.grid(2, 2, 2):\n"
            "    Y[i * 4 + j * 2 + k] = X[k]\n");
  EXPECT_EQ(unrolled(nest(2)),
            "for i, j in T.grid(2, 2):\n"
            "    Y[i * 4 + j * 2] = X[0]\n"
            "    Y[i * 4 + j * 2 + 1] = X[1]\n");
  EXPECT_EQ(unrolled(nest(4)),
            "for i in range(2):\n"
            "    Y[i * 4] = X[0]\n"
            "    Y[i * 4 + 1] = X[1]\n"
            "    Y[i * 4 + 2] = X[0]\n"
            "    Y[i * 4 + 3] = X[1]\n");
  EXPECT_EQ(unrolled(nest(8)).find("for"), std::string::npos);
}

TEST(AutoUnroll, stops_at_a_loop_that_stays) {
  EXPECT_EQ(unrolled("for i in T.serial(2, annotations={\"pragma_auto_unroll_max_step\": 64}):\n"
                     "    for j in range(T.max(T.min(n, T.int64(4)), T.int64(1))):\n"
                     "        for k in range(2):\n"
                     "            Y[j * 2 + k] = X[i]\n"),
            "for i, j in T.grid(2, T.max(T.min(n, 4), 1)):\n"
            "    Y[j * 2] = X[i]\n"
            "    Y[j * 2 + 1] = X[i]\n");
}

TEST(AutoUnroll, marks_the_loop_for_the_backend_where_the_code_should_not_be_explicit) {
  EXPECT_EQ(unrolled("for i in T.serial(8, annotations={\"pragma_auto_unroll_max_step\": 4, "
                     "\"pragma_unroll_explicit\": 0}):\n"
                     "    for j in range(4):\n"
                     "        Y[i * 4 + j] = X[j]\n"),
            "for i in range(8):\n"
            "    for j in T.unroll(4):\n"
            "        Y[i * 4 + j] = X[j]\n");
}

TEST(AutoUnroll, an_annotation_nearer_to_the_loop_wins) {
  EXPECT_EQ(unrolled("for i in T.serial(8, annotations={\"pragma_auto_unroll_max_step\": 64}):\n"
                     "    for j in T.serial(4, annotations={\"pragma_auto_unroll_max_step\": 0}):\n"
                     "        Y[i * 4 + j] = X[j]\n"),
            "for i, j in T.grid(8, 4):\n"
            "    Y[i * 4 + j] = X[j]\n");
}

/// On a block, and on a loop of one iteration, which goes away before loops are unrolled.
TEST(AutoUnroll, annotations_outlive_what_carries_them) {
  const std::string around[] = {
      "    for one in T.serial(1, annotations={\"pragma_auto_unroll_max_step\": 8}):\n",
      "    with T.block(\"outer\"):\n        T.reads(X[0:8])\n        T.writes(Y[0:8])\n"
      "        T.block_attr({\"pragma_auto_unroll_max_step\": 8})\n",
  };
  for (const std::string& head : around) {
    const Function f = function_of(
        "@T.prim_func\ndef main(X: T.Buffer((8,), \"float32\"), Y: T.Buffer((8,), \"float32\")):\n" + head +
        "        for i in range(8):\n            with T.block(\"Y\"):\n                vi = "
        "T.axis.spatial(8, i)\n"
        "                Y[vi] = X[vi]\n");
    const Function after = lower_until(f, target::find("generic-x86_64"), "unroll_loops");
    bool has_loop = false;
    visit_stmts(after.body, [&](const Stmt& s) { has_loop = has_loop || s.is<For>(); });
    EXPECT_FALSE(has_loop) << print(f) << print(after);
  }
}

}  // namespace

}  // namespace ardea::lower
