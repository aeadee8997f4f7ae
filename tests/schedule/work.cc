#include "ardea/arith/work.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "ardea/ir/parse.h"
#include "ardea/support/text_file.h"
#include "tests/schedule/campaign/check_schedule.h"

/// Schedules whose proofs would not end: minima, maxima and quotients of each other as bounds.

namespace ardea::schedule {
namespace {

Function mirrored() {
  return parse_function(
      read_text_file(std::filesystem::path(ARDEA_SOURCE_DIR) / "tests/schedule/programs/mirrored.tir"));
}

TEST(Work, of_a_mirrored_read_in_a_split_layout_is_bounded) {
  const Function original = mirrored();
  Schedule schedule(original);
  const std::int64_t before = arith::Question::steps_taken();
  schedule.replay(parse_steps(R"(b = sch.get_block("B")
c = sch.get_block("C")
i = sch.get_loops(c)
sch.compute_at(b, i)
sch.transform_layout(b, ("write", 0), lambda i: (i // 3, i % 3))
sch.cache_write(b, 0, "global")
sch.cache_write(b, 0, "global")
lo, li = sch.split(i, [None, 4])
sch.stage_mem(lo, "C", "global")
)",
                              "steps"));
  check(original, schedule, 0);
#ifdef NDEBUG
  const std::int64_t most = 8'000'000;
#else
  const std::int64_t most = 60'000'000;  // every step and every pass is verified
#endif
  EXPECT_LT(arith::Question::steps_taken() - before, most);
}

}  // namespace
}  // namespace ardea::schedule
