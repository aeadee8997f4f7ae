#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/command.h"
#include "tests/gpu_tuning/stand_in.h"

/// `ardea bench --target h200`.

namespace ardea::cli {
namespace {

using nlohmann::json;

class GpuBenchCommand : public testing::Test {
 protected:
  static void SetUpTestSuite() { gpu_tuning::use_stand_in_gpu(); }
  static Answer bench(const std::string& arguments, const std::string& environment = "") {
    return ardea(
        "bench gemm 16,16,16 --target h200 --schedule examples/gemm_gpu_template.py --rounds 6 " + arguments,
        "", environment);
  }
};

TEST_F(GpuBenchCommand, times_and_checks_everybody_in_one_run) {
  const Answer answer = bench(
      "--json --rivals examples/gemm_gpu_template.py --against right,failing --peers " ARDEA_TEST_GPU_PEERS);
  ASSERT_EQ(answer.exit_code, 0) << answer.error << answer.out;
  const json result = json::parse(answer.out);
  EXPECT_EQ(result["target"], "h200");
  EXPECT_EQ(result["caches"], "cold");
  EXPECT_EQ(result["calls_per_turn"], 20);
  ASSERT_EQ(result["clock_mhz"].size(), 2U);
  for (const auto& clock : result["clock_mhz"]) EXPECT_GT(clock.get<double>(), 0);
  ASSERT_EQ(result["contenders"].size(), 3U);
  EXPECT_EQ(result["contenders"][2]["name"], "right");
  EXPECT_EQ(result["contenders"][2]["label"], "by hand");
  EXPECT_TRUE(result["contenders"][2]["agrees"].get<bool>());
  EXPECT_TRUE(result.contains("ratio_vs_best"));
  EXPECT_EQ(result["left_out"]["failing, by hand"],
            "the peer failing failed: it does not feel like it; leave it out of --against");
}

TEST_F(GpuBenchCommand, says_who_is_wrong) {
  const Answer answer = bench("--against wrong --peers " ARDEA_TEST_GPU_PEERS);
  EXPECT_EQ(answer.exit_code, 1) << answer.error;
  for (const char* words : {"on h200; cold second cache, 6 rounds of a graph of 20 calls",
                            "the GPU's clock: ", " MHz before, ", "WRONG"})
    EXPECT_NE(answer.out.find(words), std::string::npos) << answer.out;
}

TEST_F(GpuBenchCommand, leaves_out_libraries_that_cannot_begin) {
  // cublasLtCreate leaves memory behind where it fails, which is not ours to free.
  const Answer answer = bench("--against cublas,cublaslt,cudnn", "ASAN_OPTIONS=detect_leaks=0 ");
  EXPECT_EQ(answer.exit_code, 0) << answer.error;
  for (const char* words :
       {"cublas: left out, ", "cublaslt: left out, ", "cudnn: left out, it is asked for convolutions only"})
    EXPECT_NE(answer.out.find(words), std::string::npos) << answer.out;
}

TEST_F(GpuBenchCommand, says_once_that_there_is_no_gpu) {
  const Answer answer = ardea("bench --set heron_tensorcore_f16 --target h200 --against cublas", "",
                              "ARDEA_CUDA_DRIVER=/nowhere/libcuda.so ");
  EXPECT_EQ(answer.exit_code, 2) << answer.out;
  EXPECT_EQ(answer.out, "");
  EXPECT_NE(answer.error.find("/nowhere/libcuda.so"), std::string::npos) << answer.error;
}

TEST_F(GpuBenchCommand, refuses_what_is_for_processors) {
  for (const char* unwanted : {"--threads 2", "--copies", "--prepacked"})
    expect_refusal(bench(unwanted), "is for processors; leave it out");
  expect_refusal(ardea("bench examples/gemm.tir --rivals none --target h200"),
                 "it times operators of given sizes");
}

}  // namespace
}  // namespace ardea::cli
