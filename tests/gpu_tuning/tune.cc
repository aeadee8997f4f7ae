#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "ardea/db/database.h"
#include "tests/cli/command.h"
#include "tests/gpu_tuning/stand_in.h"
#include "tests/support/sampled.h"

/// `ardea tune --target h200` from end to end.

namespace ardea::cli {
namespace {

using nlohmann::json;

class GpuTuneCommand : public testing::Test {
 protected:
  static void SetUpTestSuite() { gpu_tuning::use_stand_in_gpu(); }
  std::string at(const std::string& name) const { return (folder_.path() / name).string(); }
  Answer on_database(const std::string& command, const std::string& environment = "") const {
    return ardea(command + " --target h200 --db " + at("t.db"), "", environment);
  }
  static std::string by_template(const std::string& shape) {
    return "gemm " + shape + " --schedule " ARDEA_SOURCE_DIR "/examples/gemm_gpu_template.py";
  }
  const Folder folder_;
};

TEST_F(GpuTuneCommand, finds_checks_and_remembers_a_program) {
  const std::string tune = "tune " + by_template("16,16,16") + " --seed 3 --json";
  const Answer answer = on_database(tune + " --trials 5");
  ASSERT_EQ(answer.exit_code, 0) << answer.error << answer.out;
  const json result = json::parse(answer.out);
  EXPECT_EQ(result["trials"], 5);
  EXPECT_EQ(result["timed"], 5) << result["failures"];
  EXPECT_EQ(result["target"], "h200");
  EXPECT_GT(result["tuned"]["time_s"].get<double>(), 0);

  const Answer more = on_database(tune + " --trials 7 --resume");
  ASSERT_EQ(more.exit_code, 0) << more.error;
  EXPECT_EQ(json::parse(more.out)["earlier"], 5);
  EXPECT_EQ(json::parse(more.out)["trials"], 2);
  const json trace = json::parse(more.out)["tuned"]["trace"];

  // Whoever has the record needs no GPU to look at it.
  const std::string nowhere = "ARDEA_CUDA_DRIVER=/nowhere/libcuda.so ";
  const Answer shown = on_database("show gemm 16,16,16 --best --as cuda", nowhere);
  EXPECT_EQ(shown.exit_code, 0) << shown.error;
  EXPECT_NE(shown.out.find("__global__"), std::string::npos) << shown.out;
  EXPECT_NE(shown.error.find("gemm 16,16,16 as tuned for 132 multiprocessors: trial "), std::string::npos)
      << shown.error;
  const Answer steps = on_database("show gemm 16,16,16 --best --as trace --json", nowhere);
  EXPECT_EQ(steps.exit_code, 0) << steps.error;
  const Answer run = on_database("run gemm 16,16,16 --best --check --json");
  ASSERT_EQ(run.exit_code, 0) << run.error << run.out;
  EXPECT_TRUE(json::parse(run.out)["check"]["agrees"].get<bool>());

  // It is no record of this machine's processor, nor of another GPU.
  const Answer host = ardea("show gemm 16,16,16 --align 16 --best --db " + at("t.db"));
  EXPECT_EQ(host.exit_code, 2);
  EXPECT_NE(host.error.find("there are records on h200"), std::string::npos) << host.error;
  const Answer other = ardea("show gemm 16,16,16 --best --target h100 --db " + at("t.db"));
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_NE(other.error.find("`ardea tune gemm 16,16,16 --target h100` makes one"), std::string::npos)
      << other.error;

  const Answer again = on_database(tune + " --trials 7 --resume --replay", nowhere);
  ASSERT_EQ(again.exit_code, 0) << again.error;
  EXPECT_EQ(json::parse(again.out)["tuned"]["trace"], trace) << "a replay measures nothing and needs no GPU";
}

TEST_F(GpuTuneCommand, searches_the_rules_spaces) {
  // The stand-in copies nothing beside its threads, as larger products do.
  for (const std::string& workload :
       test::sampled<std::string>(3, {"relu 33,65", "softmax 5,67", "gemm 8,24,20"})) {
    const Answer answer = on_database("tune " + workload + " --trials 3 --json");
    ASSERT_EQ(answer.exit_code, 0) << workload << answer.error << answer.out;
    // On a machine that others load one may run out of time, which is no fault of the space.
    json failures = json::parse(answer.out)["failures"];
    const int late = failures.value("timed out", 0);
    failures.erase("timed out");
    EXPECT_TRUE(failures.empty()) << failures;
    EXPECT_EQ(json::parse(answer.out)["timed"], 3 - late);
    EXPECT_LT(late, 3);
  }
}

TEST_F(GpuTuneCommand, takes_configurations_of_herons) {
  std::ofstream(at("c.json")) << R"({"config": {"method": "CGA", "max_trials": 3, "in_dtype": "float32",
    "out_dtype": "float32", "target_name": "cuda", "codegen_type": "GPU_TENSOR_CORE",
    "cases": {"G1": ["gemm", [8, 24, 20]]}}})";
  const Answer answer = ardea("tune -p tensorcore -c " + at("c.json") + " --db " + at("t.db"));
  ASSERT_EQ(answer.exit_code, 0) << answer.error << answer.out;
  EXPECT_NE(answer.out.find("\nPASS\nCase [8, 24, 20], latency "), std::string::npos) << answer.out;
}

TEST_F(GpuTuneCommand, says_in_words_what_it_found) {
  const Answer answer =
      on_database("tune " + by_template("16,16,16") + " --align 16 --trials 2 --method random");
  ASSERT_EQ(answer.exit_code, 0) << answer.error;
  for (const char* part : {"gemm 16,16,16", "on h200, 132 multiprocessors: 2 trials", "none failed", "tuned",
                           "next: ardea run gemm 16,16,16 --align 16 --target h200 --best --check --db "})
    EXPECT_NE(answer.out.find(part), std::string::npos) << part << " is not in:\n" << answer.out;
  // With the promise that it was tuned with, which is what operators promise on GPUs, it is found; with
  // another it would be another program.
  const Answer run = on_database("run gemm 16,16,16 --align 16 --best --check");
  EXPECT_EQ(run.exit_code, 0) << run.error << run.out;
  EXPECT_EQ(on_database("run gemm 16,16,16 --best").exit_code, 0);
  EXPECT_EQ(on_database("run gemm 16,16,16 --align 4 --best").exit_code, 2);
}

TEST_F(GpuTuneCommand, says_what_is_missing_before_it_does_anything) {
  const std::vector<std::tuple<std::string, std::string, std::string>> all = {
      {"tune " + by_template("16,16,16"), "ARDEA_CUDA_DRIVER=/nowhere/libcuda.so ",
       "tune --target h200: programs are timed on a GPU, and /nowhere/libcuda.so is not on this machine, it "
       "comes with NVIDIA's driver"},
      {"tune " + by_template("16,16,16"), "CUDA_HOME=" ARDEA_STAND_IN_OLD_CUDA " ",
       "tune --target h200: kernels are compiled by NVRTC, and libnvrtc.so has no nvrtcDestroyProgram: it is "
       "too "
       "old"},
      {"tune " + by_template("16,16,16") + " --threads 4", "",
       "--threads 4: on h200 a program has the threads that its schedule binds; leave it out"},
      {"tune gemm 16,16,16 --schedule recipe", "", "--schedule recipe leaves nothing to search"},
  };
  for (const auto& [command, environment, said] : all) {
    const Answer answer = on_database(command, environment);
    EXPECT_EQ(answer.exit_code, 2) << command << answer.out;
    EXPECT_NE(answer.error.find(said), std::string::npos) << command << ": " << answer.error;
    EXPECT_EQ(std::count(answer.error.begin(), answer.error.end(), '\n'), 1) << answer.error;
    EXPECT_FALSE(std::filesystem::exists(at("t.db"))) << command;
  }
}

}  // namespace
}  // namespace ardea::cli
