#include <gtest/gtest.h>

#include <algorithm>

#include "ardea/ops/registry.h"
#include "ardea/rules/program_space.h"
#include "ardea/support/timings.h"

/// Which sketches of a space are tried at points while it is made.

namespace ardea::rules {

namespace {

struct Made {
  ProgramSpace space;
  std::ptrdiff_t tried = 0;  ///< sketches that were replayed at points
};

Made made(const ops::Workload& workload, const char* name, bool tries_what_is_proved) {
  const target::Target target = target::find(name);
  const Timings timings;
  ProgramSpace space = program_space(ops::create_function(workload), target, rules_for(target),
                                     {.tries_what_is_proved = tries_what_is_proved, .threads = 1});
  const auto& all = timings.sections();
  return {std::move(space), std::count_if(all.begin(), all.end(), [](const Timings::Section& section) {
            return section.part == "space" && section.name == "witnesses";
          })};
}

std::ptrdiff_t with_open_questions(const ProgramSpace& space) {
  return std::count_if(space.sketches.begin(), space.sketches.end(),
                       [](const SolvedSketch& one) { return !one.sketch.deferred.empty(); });
}

void expect_same_space(const ProgramSpace& one, const ProgramSpace& other) {
  ASSERT_EQ(one.sketches.size(), other.sketches.size());
  for (std::size_t i = 0; i < one.sketches.size(); ++i)
    EXPECT_TRUE(one.sketches[i].sketch.system == other.sketches[i].sketch.system) << i;
}

TEST(TriedSketches, are_all_or_only_those_that_proofs_do_not_cover) {
  const ops::Workload proved = ops::make_workload({.op = "softmax", .sizes = {12, 200}});
  const Made all = made(proved, "neoverse-v1", true), few = made(proved, "neoverse-v1", false);
  ASSERT_EQ(with_open_questions(all.space), 0);
  EXPECT_EQ(all.tried, std::ssize(all.space.sketches));
  EXPECT_EQ(few.tried, 0);
  expect_same_space(all.space, few.space);
}

TEST(TriedSketches, are_in_any_case_those_that_a_proof_is_missing_for) {
  const ops::Workload rests = ops::make_workload({.op = "gemm", .sizes = {24, 16, 20}});
  const Made all = made(rests, "avx2", true), few = made(rests, "avx2", false);
  ASSERT_GT(with_open_questions(all.space), 0);
  ASSERT_LT(with_open_questions(all.space), std::ssize(all.space.sketches));
  EXPECT_EQ(all.tried, std::ssize(all.space.sketches));
  EXPECT_EQ(few.tried, with_open_questions(all.space));
  expect_same_space(all.space, few.space);
}

}  // namespace

}  // namespace ardea::rules
