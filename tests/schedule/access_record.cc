#include "tests/schedule/campaign/access_record.h"

#include <gtest/gtest.h>

#include "ardea/ir/parse.h"
#include "ardea/ir/print.h"
#include "ardea/ir/traverse.h"
#include "ardea/measure/inputs.h"
#include "tests/random/dependent_nests.h"
#include "tests/schedule/campaign/judge_steps.h"

/// The oracle of conflicts, on programs whose conflicts are plain to see.

namespace ardea::schedule {
namespace {

Var loop_called(const Function& f, const std::string& name) {
  Var found;
  visit_stmts(f.body, [&](const Stmt& s) {
    if (const auto* loop = s.as<For>(); loop != nullptr && loop->var.name() == name) found = loop->var;
  });
  return found;
}

struct Recorded {
  Function program;
  AccessRecord record;

  explicit Recorded(const std::string& text)
      : program(parse_function("@T.prim_func\n" + text)),
        record(program, measure::make_arguments(program, {})) {}
  bool conflicts(const std::string& loop, Concurrency how = Concurrency::parallel) const {
    return record.conflict(loop_called(program, loop), how).has_value();
  }
  bool may_exchange(const std::string& outer, const std::string& inner) const {
    return !record.disorder({loop_called(program, outer), loop_called(program, inner)}, {1, 0});
  }
};

TEST(AccessRecord, finds_iterations_that_touch_one_element) {
  const Recorded run(R"(def main(A: T.Buffer((16,), "int32"), B: T.Buffer((16,), "int32")):
    for i in range(4):
        for j in range(4):
            A[i * 4 + j] = B[i]
    for k in range(1, 4):
        for l in range(4):
            B[k + l] = B[k + l] + A[0]
    for m in range(8):
        B[m] = A[m] + A[7 - m]
    for n in range(8):
        A[n] = B[n] + A[7 - n]
)");
  EXPECT_FALSE(run.conflicts("i"));
  EXPECT_FALSE(run.conflicts("j"));
  EXPECT_TRUE(run.conflicts("k"));
  EXPECT_FALSE(run.conflicts("l"));  // in each run of it: others come one after the other
  EXPECT_FALSE(run.conflicts("m"));  // reads alone
  EXPECT_TRUE(run.conflicts("n"));
}

TEST(AccessRecord, finds_tiles_whose_length_depends_on_a_loop) {
  const Recorded run(R"(def main(A: T.Buffer((21,), "int32"), B: T.Buffer((16,), "int32")):
    for i in range(1, 5):
        for j in range(4):
            for l in range(i):
                A[i * j + l] = B[i + j + l]
    for k in range(4):
        for m in range(7 // (k + 1)):
            A[7 // (k + 1) * k + m] = B[k + m]
)");
  EXPECT_FALSE(run.may_exchange("i", "j"));
  EXPECT_TRUE(run.conflicts("i"));
  EXPECT_FALSE(run.conflicts("j"));
  EXPECT_TRUE(run.conflicts("k"));
}

TEST(AccessRecord, lets_updates_change_places_and_nothing_else) {
  const Recorded run(R"(def main(A: T.Buffer((16,), "int32"), B: T.Buffer((4,), "int32")):
    for i in range(4):
        for j in range(4):
            B[j] = B[j] + A[i * 4 + j]
    for k in range(4):
        for l in range(4):
            B[0] = A[k * 4 + l] - B[0]
    for m in range(1, 4):
        for n in range(3):
            A[m * 4 + n] = A[m * 4 + n - 3]
    for p in range(1, 4):
        for q in range(1, 4):
            A[p * 4 + q] = A[p * 4 + q - 5]
)");
  EXPECT_TRUE(run.may_exchange("i", "j"));
  EXPECT_TRUE(run.conflicts("i"));  // but not at the same time
  EXPECT_FALSE(run.may_exchange("k", "l"));
  EXPECT_FALSE(run.may_exchange("m", "n"));  // (1, -1)
  EXPECT_TRUE(run.may_exchange("p", "q"));   // (1, 1)
}

TEST(AccessRecord, gives_each_iteration_the_memory_that_only_it_needs) {
  const std::string text = R"(def main(A: T.Buffer((4,), "int32")):
    with T.block("root"):
        B = T.alloc_buffer((2,), "int32", scope="SCOPE")
        for i in range(4):
            with T.block("a"):
                v = T.axis.opaque(4, i)
                B[0] = A[v]
            with T.block("b"):
                v = T.axis.opaque(4, i)
                A[v] = B[PLACE]
)";
  const auto with = [&](const std::string& scope, const std::string& place) {
    std::string made = text;
    made.replace(made.find("SCOPE"), 5, scope);
    made.replace(made.find("PLACE"), 5, place);
    return Recorded(made);
  };
  const Recorded own = with("global", "0");
  EXPECT_FALSE(own.conflicts("i", Concurrency::parallel));
  EXPECT_TRUE(own.conflicts("i", Concurrency::threads));
  EXPECT_TRUE(own.conflicts("i", Concurrency::lanes));
  EXPECT_FALSE(with("local", "0").conflicts("i", Concurrency::threads));
  EXPECT_TRUE(with("shared", "0").conflicts("i", Concurrency::threads));
  EXPECT_TRUE(own.conflicts("i", Concurrency::blocks));
  EXPECT_FALSE(with("shared", "0").conflicts("i", Concurrency::blocks));
}

TEST(AccessRecord, knows_that_half_a_byte_is_stored_with_the_other_half) {
  const Recorded run(R"(def main(A: T.Buffer((4,), "int4"), B: T.Buffer((4,), "int4")):
    for i in range(4):
        A[i] = B[i]
)");
  EXPECT_TRUE(run.conflicts("i", Concurrency::parallel));
  EXPECT_TRUE(run.conflicts("i", Concurrency::threads));
  EXPECT_FALSE(run.conflicts("i", Concurrency::lanes));
}

TEST(DependentNests, are_the_same_for_one_seed_and_have_bounds_that_depend_on_loops) {
  int dependent = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    Random random(seed), again(seed);
    const Function program = random_programs::dependent_nests(random);
    EXPECT_EQ(print(program), print(random_programs::dependent_nests(again)));
    bool found = false;
    visit_stmts(program.body, [&](const Stmt& s) {
      const auto* loop = s.as<For>();
      found = found || (loop != nullptr && is_dependent(program, loop->var));
    });
    dependent += found ? 1 : 0;
  }
  EXPECT_GE(dependent, 20);
}

}  // namespace
}  // namespace ardea::schedule
