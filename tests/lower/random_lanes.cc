#include <gtest/gtest.h>

#include "ardea/arith/verify.h"
#include "ardea/ir/print.h"
#include "ardea/ir/substitute.h"
#include "ardea/lower/pipeline.h"
#include "ardea/support/random.h"
#include "programs.h"
#include "tests/random/marks.h"
#include "tests/random/random_program.h"
#include "tests/support/sampled.h"

/// Random programs in which any loop may be marked as vectorized, whether its iterations are independent or
/// not: a mark means the serial loop, so that every pass must keep the answers.

namespace ardea::lower {

namespace {

// Under a sanitizer a program takes some twenty times as long; fewer still reach all of the code.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::size_t seeds = 5;
#else
constexpr std::size_t seeds = 60;
#endif

/// What the passes made of the programs: a campaign that reaches no masks tests none.
struct Reached {
  int vector_stores = 0, masked_stores = 0, masked_loads = 0;
};

void count(const Function& f, Reached& reached) {
  visit_stmts(f.body, [&](const Stmt& s) {
    const auto* store = s.as<Store>();
    if (store == nullptr || store->indices.at(0).type().is_scalar()) return;
    ++reached.vector_stores;
    reached.masked_stores += store->predicate.defined() ? 1 : 0;
  });
  visit_exprs(f.body, [&](const Expr& e) {
    const auto* load = e.as<Load>();
    reached.masked_loads += load != nullptr && load->predicate.defined() ? 1 : 0;
  });
}

class RandomLanes : public ::testing::TestWithParam<const char*> {};

TEST_P(RandomLanes, keep_the_answers_after_every_pass) {
  const target::Target target = target::find(GetParam());
  Reached reached;
  for (std::uint64_t seed = 1; seed <= test::sampled_count(2, seeds); ++seed) {
    Random random(seed);
    random_programs::RandomProgramOptions options;
    options.most_stages = 3;
    options.largest_extent = seed % 4 == 0 ? 41 : 11;
    options.vector_code = seed % 5 == 0;
    const Function original =
        random_programs::with_marked_loops(random_programs::random_program(random, options), random);
    const Program program{"random", "", {{"n", random.integer(1, 23)}, {"m", random.integer(1, 9)}}};
    const std::vector<interp::Argument> given = arguments_of(original, program, seed);
    std::vector<interp::Argument> wanted = copies(given);
    interp::run(original, wanted);

    Function f = original;
    for (const Pass& pass : pipeline(target)) {
      if (pass.name == "lower_intrinsics") break;  // approximate from here on
      const Function before = f;
      f = pass.run(f, target);
      if (pass.name == "vectorize") count(f, reached);
      const auto violations = arith::verify(f);
      ASSERT_TRUE(violations.empty())
          << pass.name << ", seed " << seed << ": " << violations[0].message << "\nbefore:\n"
          << print(before) << "after:\n"
          << print(f);
      std::vector<interp::Argument> got = copies(given);
      try {
        interp::run(f, got);
      } catch (const std::exception& error) {
        FAIL() << pass.name << ", seed " << seed << ": " << error.what() << "\nbefore:\n"
               << print(before) << "after:\n"
               << print(f);
      }
      ASSERT_EQ(difference(wanted, got, 0), "") << pass.name << ", seed " << seed << "\nbefore:\n"
                                                << print(before) << "after:\n"
                                                << print(f);
    }
  }
  if (seeds < 60) return;  // too few for what comes in one program of three
  const int part = test::takes_all_cases() ? 1 : 3;
  EXPECT_GT(reached.vector_stores, 100 / part);
  EXPECT_GT(reached.masked_stores, 10 / part);
  EXPECT_GT(reached.masked_loads, 20 / part);
}

INSTANTIATE_TEST_SUITE_P(Lowering, RandomLanes, ::testing::Values("generic-x86_64", "avx2", "skylake-avx512"),
                         [](const auto& info) {
                           std::string name = info.param;
                           for (char& c : name) c = std::isalnum(c) ? c : '_';
                           return name;
                         });

}  // namespace

}  // namespace ardea::lower
