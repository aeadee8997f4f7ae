#include "ardea/measure/trials.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "ardea/arith/load.h"
#include "ardea/support/error.h"
#include "ardea/target/target.h"
#include "tests/gpu_tuning/stand_in.h"

/// Candidates for a GPU in worker processes: built, checked, timed, and failing in every way that a kernel
/// can fail. How many threads a block has says what the stand-in does (tests/stand_in_gpu/README.md).

namespace ardea::measure {
namespace {

const char* const sum = R"(
@T.prim_func
def main(A: T.Buffer((1009,), "float32"), B: T.Buffer((1009,), "float32"), C: T.Buffer((1009,), "float32")):
    for i in T.serial(1009):
        with T.block("C"):
            vi = T.axis.spatial(1009, i)
            C[vi] = A[vi] + B[vi]
)";

/// Adds to what is there: an argument that is changed in place.
const char* const in_place = R"(
@T.prim_func
def main(A: T.Buffer((1009,), "float32")):
    for i in T.serial(1009):
        with T.block("A"):
            vi = T.axis.spatial(1009, i)
            A[vi] = A[vi] * T.float32(1e4)
)";

std::string threads_of(int number, const char* block = "C") {
  return fmt::format(R"(
i, = sch.get_loops(sch.get_block("{}"))
blocks, threads = sch.split(i, [None, {}])
sch.bind(blocks, "blockIdx.x")
sch.bind(threads, "threadIdx.x")
)",
                     block, number);
}

TrialTask task_of(const char* text, const char* target = "h200") {
  gpu_tuning::use_stand_in_gpu();
  const target::Target gpu = target::find(target);
  return {.program = arith::load_program(text, "test").functions[0], .target = gpu, .threads = gpu.cores};
}

TrialOptions options() { return {.build_workers = 2, .program = ARDEA_PROGRAM}; }

void expect_timed(const TrialReport& report) {
  EXPECT_EQ(report.outcome, TrialOutcome::timed) << report.message;
  ASSERT_TRUE(report.time);
  EXPECT_GT(report.time->low_s, 0);
  EXPECT_LE(report.time->low_s, report.time->median_s);
  EXPECT_LE(report.time->median_s, report.time->high_s);
  EXPECT_GT(report.clock_mhz.value_or(0), 0);
}

void expect_failed(const TrialReport& report, TrialOutcome outcome, const std::string& words) {
  EXPECT_EQ(to_string(report.outcome), to_string(outcome)) << report.message;
  EXPECT_NE(report.message.find(words), std::string::npos) << report.message;
  EXPECT_FALSE(report.time);
}

TEST(GpuTrials, build_check_and_time_kernels) {
  Trials trials(task_of(sum), options());
  const auto reports = trials.measure({threads_of(32), threads_of(64), threads_of(1)});
  ASSERT_EQ(reports.size(), 3U);
  for (const TrialReport& report : reports) expect_timed(report);
  const auto duel = trials.duel({threads_of(32), threads_of(64)}, 0.05);
  ASSERT_EQ(duel.size(), 2U);
  for (const Duelist& duelist : duel) expect_timed(duelist.report);
  EXPECT_EQ(duel[0].ratio.median, 1);
}

TEST(GpuTrials, survive_kernels_that_fail_each_recorded_as_what_it_was) {
  TrialOptions limited = options();
  limited.run_limit_s = 3;
  Trials trials(task_of(sum), limited);
  const auto reports = trials.measure({threads_of(13), threads_of(32), threads_of(17), threads_of(19),
                                       threads_of(11), threads_of(23), "[]", threads_of(64)});
  ASSERT_EQ(reports.size(), 8U);
  expect_failed(reports[0], TrialOutcome::launch_failed,
                "the GPU's driver says unspecified launch failure (CUDA_ERROR_LAUNCH_FAILED)");
  expect_timed(reports[1]);  // by another process: the context of the first one is lost
  expect_failed(reports[2], TrialOutcome::wrong_answer, "C is wrong in 1009 of 1009 elements");
  expect_failed(reports[3], TrialOutcome::crashed, "was ended by signal 6");
  expect_failed(reports[4], TrialOutcome::compile_failed, "eleven threads are none");
  expect_failed(reports[5], TrialOutcome::timed_out, "running it did not end within");
  expect_failed(reports[6], TrialOutcome::compile_failed, "stands in no loop that is bound to threads");
  expect_timed(reports[7]);
}

TEST(GpuTrials, change_arguments_in_place_from_the_same_values_at_each_call) {
  Trials trials(task_of(in_place), options());
  const auto reports = trials.measure({threads_of(32, "A"), threads_of(32, "A")});
  ASSERT_EQ(reports.size(), 2U);
  for (const TrialReport& report : reports) expect_timed(report);
}

TEST(GpuTrials, say_that_the_gpu_is_another_one) {
  Trials trials(task_of(sum, "a100"), options());
  try {
    trials.measure({threads_of(32)});
    FAIL() << "code for an A100 does not run on compute capability 9.0";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "target a100: its code is for sm_80, and a stand-in for a GPU here is of compute capability "
                 "9.0; choose its target");
  }
}

}  // namespace
}  // namespace ardea::measure
