#include <gtest/gtest.h>

#include "ardea/ir/parse.h"
#include "ardea/support/random.h"
#include "tests/schedule/campaign/check_schedule.h"

/// Which programs of a campaign are compiled, too.

namespace ardea::schedule {

namespace {

Function copy_by(const std::string& loop) {
  return parse_function(
      "@T.prim_func\ndef main(A: T.Buffer((8,), \"int32\"), B: T.Buffer((8,), \"int32\")):\n    for i in " +
      loop + "(8):\n        B[i] = A[i]\n");
}

/// Of the seeds that a test chooses, the share that is compiled.
template <class Chosen>
double compiled_share(const Function& program, double share, const Chosen& chosen) {
  int all = 0, compiled = 0;
  for (std::uint64_t seed = 1; seed <= 4000; ++seed) {
    if (!chosen(seed)) continue;
    ++all;
    compiled += is_compiled(program, seed, share) ? 1 : 0;
  }
  return static_cast<double>(compiled) / all;
}

bool every(std::uint64_t) { return true; }

TEST(CompiledShare, is_what_was_asked_for_and_more_of_programs_with_lanes) {
  const Function serial = copy_by("range"), lanes = copy_by("T.vectorized");
  EXPECT_NEAR(compiled_share(serial, 0.3, every), 0.3, 0.03);
  EXPECT_NEAR(compiled_share(lanes, 0.3, every), 1 - 0.7 * 0.7 * 0.7, 0.03);
  for (const Function& program : {serial, lanes}) {
    EXPECT_EQ(compiled_share(program, 0, every), 0);
    EXPECT_EQ(compiled_share(program, 1, every), 1);
  }
}

/// A generator's first draw says what kind of program it writes.
TEST(CompiledShare, has_programs_of_every_kind) {
  const Function program = copy_by("range");
  for (const bool low : {false, true}) {
    const auto has_that_draw = [&](std::uint64_t seed) { return (Random(seed).real() < 0.4) == low; };
    EXPECT_NEAR(compiled_share(program, 0.3, has_that_draw), 0.3, 0.04) << low;
  }
}

}  // namespace

}  // namespace ardea::schedule
