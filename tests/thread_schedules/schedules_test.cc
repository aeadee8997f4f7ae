#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "ardea/codegen/cuda/codegen_cuda.h"
#include "ardea/ir/print.h"
#include "ardea/lower/pipeline.h"
#include "ardea/measure/check.h"
#include "ardea/measure/inputs.h"
#include "ardea/ops/registry.h"
#include "ardea/schedule/parse_script.h"
#include "ardea/schedule/schedule.h"
#include "ardea/support/random.h"
#include "ardea/support/subprocess.h"
#include "ardea/support/text.h"
#include "ardea/support/text_file.h"
#include "tests/support/folder.h"
#include "tests/support/sampled.h"

/// Schedules of threads as people and rules write them, one script each in scripts/: accepted at sizes that
/// their tiles divide and at others, at primes and at ones; right in every order of threads; compiled by
/// nvcc.

namespace ardea {

namespace {

struct ThreadSchedule {
  std::string script;
  std::string op;
  std::vector<std::vector<std::int64_t>> sizes;  ///< besides sizes by chance
  std::int64_t least = 1;                        ///< of these
};

std::ostream& operator<<(std::ostream& out, const ThreadSchedule& one) { return out << one.script; }

const std::vector<ThreadSchedule>& thread_schedules() {
  static const std::vector<ThreadSchedule> all = {
      {"gemm_guarded_copies", "gemm", {{32, 24, 32}, {64, 60, 96}, {1, 1, 1}, {37, 13, 41}}},
      {"gemm_nested_threads", "gemm", {{32, 24, 32}, {64, 60, 96}, {1, 1, 1}, {37, 13, 41}}},
      {"gemm_padded", "gemm", {{32, 24, 64}, {37, 13, 41}, {1, 1, 1}}},
      // Of arrays smaller than the tile of a thread it is not proved yet that its copies in registers hold
      // what it reads.
      {"gemm_register_tiles", "gemm", {{32, 24, 64}, {37, 13, 41}, {5, 7, 11}}, 5},
      {"gemv", "gemv", {{8, 64}, {7, 101}, {1, 1}}},
      {"reduction_bound", "reduce_sum", {{4, 200}, {5, 131}, {1, 1}}},
      {"reduction_rfactor", "reduce_sum", {{4, 128}, {5, 131}, {1, 1}}},
      {"softmax_rows", "softmax", {{4, 64}, {5, 101}, {1, 1}}},
      {"layernorm_rows", "layernorm", {{4, 128}, {5, 101}, {1, 1}}},
      {"elementwise", "relu", {{16, 64}, {33, 19}, {1, 1}}},
      {"transpose_shared", "transpose", {{32, 64}, {33, 19}, {1, 37}, {1, 1}}},
  };
  return all;
}

const target::Target& gpu() {
  static const target::Target h200 = target::find("h200");
  return h200;
}

Function program_of(const ThreadSchedule& one, const std::vector<std::int64_t>& sizes) {
  return ops::create_function(ops::make_workload({.op = one.op, .sizes = sizes}), one.op);
}

Function scheduled(const ThreadSchedule& one, const Function& f) {
  const std::string path =
      std::string(ARDEA_SOURCE_DIR) + "/tests/thread_schedules/scripts/" + one.script + ".py";
  schedule::Schedule schedule(f);
  schedule.replay(schedule::parse_script(read_text_file(path), path));
  return schedule.program();
}

/// Primes, ones and numbers that tiles divide.
std::vector<std::int64_t> random_sizes(std::size_t count, std::uint64_t seed, std::int64_t least) {
  const std::vector<std::int64_t> choices = {1, 1, 2, 3, 5, 8, 13, 16, 29, 31, 32, 37, 53, 64, 67};
  Random random(seed);
  std::vector<std::int64_t> sizes;
  for (std::size_t i = 0; i < count; ++i)
    sizes.push_back(std::max(
        least,
        choices[static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(choices.size()) - 1))]));
  return sizes;
}

class ThreadSchedules : public ::testing::TestWithParam<ThreadSchedule> {};

TEST_P(ThreadSchedules, are_accepted_and_right_in_every_order_of_threads) {
  const ThreadSchedule& one = GetParam();
  std::vector<std::vector<std::int64_t>> all = one.sizes;
  for (std::uint64_t seed = 1; seed <= (test::takes_all_cases() ? 6 : 1); ++seed)
    all.push_back(random_sizes(one.sizes[0].size(), seed, one.least));
  for (const std::vector<std::int64_t>& sizes : all) {
    SCOPED_TRACE(fmt::format("{} {}", one.op, fmt::join(sizes, ",")));
    const Function original = program_of(one, sizes);
    const std::vector<interp::Argument> given = measure::make_arguments(original, {});
    const measure::Expectation expected(original, given, measure::Reference::interpreter);
    try {
      const Function f = lower::lower(scheduled(one, original), gpu());
      for (std::uint64_t order = 0; order < 2; ++order) {
        if (!test::takes_case(order + sizes.back(), 2)) continue;
        const std::vector<interp::Argument> got = measure::make_arguments(original, {});
        interp::run(f, got, {.seed = order});
        const measure::CheckReport report = expected.compare(got);
        for (const measure::Comparison& array : report.arguments)
          EXPECT_EQ(array.mismatches, 0) << array.argument << " at " << array.index << ": " << array.got
                                         << " for " << array.expected << "\n"
                                         << print(f);
      }
    } catch (const Error& error) {
      ADD_FAILURE() << error.what();
    }
  }
}

/// nvcc, where CUDA is installed; empty elsewhere.
std::string find_nvcc() {
  const char* home = std::getenv("CUDA_HOME");
  for (const std::string& program :
       {home == nullptr ? std::string("nvcc") : std::string(home) + "/bin/nvcc", std::string("nvcc"),
        std::string("/usr/local/cuda/bin/nvcc"), std::string("/usr/local/cuda-13.0/bin/nvcc")})
    if (run_process({program, {"--version"}}).succeeded()) return program;
  return "";
}

TEST(ThreadSchedulesText, compile_for_every_generation_without_a_warning) {
  const std::string nvcc = find_nvcc();
  if (nvcc.empty()) GTEST_SKIP() << "nvcc is neither on PATH nor in CUDA_HOME or /usr/local/cuda";
  std::vector<Function> kernels;
  for (const ThreadSchedule& one : thread_schedules())
    for (const std::vector<std::int64_t>& sizes : one.sizes) {
      Function f = scheduled(one, program_of(one, sizes));
      f.name = fmt::format("{}_{}", one.script, fmt::join(sizes, "_"));
      kernels.push_back(lower::lower(f, gpu()));
    }
  const test::Folder folder;
  std::ofstream(folder.path() / "kernels.cu") << codegen::cuda_source(kernels, gpu(), {});
  for (const char* machine : {"sm_80", "sm_90a"}) {
    const ProcessResult result =
        run_process({nvcc,
                     {"-std=c++17", fmt::format("-arch={}", machine), "-cubin", "-Werror", "all-warnings",
                      "-o", "kernels.cubin", "kernels.cu"},
                     folder.path()});
    EXPECT_TRUE(result.succeeded()) << machine << ": " << result.out << result.error;
  }
}

INSTANTIATE_TEST_SUITE_P(All, ThreadSchedules, ::testing::ValuesIn(thread_schedules()),
                         [](const auto& info) { return info.param.script; });

}  // namespace

}  // namespace ardea
