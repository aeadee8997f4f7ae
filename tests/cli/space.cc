#include <fmt/core.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "ardea/support/text_file.h"
#include "tests/cli/command.h"
#include "tests/support/sampled.h"

namespace ardea::cli {
namespace {

using nlohmann::json;

std::string script() { return std::string(ARDEA_SOURCE_DIR) + "/examples/gemm_space.py"; }

Answer space(const std::string& arguments) {
  return ardea("space gemm 12,7,40 --target generic-x86_64 --schedule " + script() + " " + arguments);
}

/// 12 = m_0 · m_1, four widths, and m_1 rows of width / 4 vectors in 16 registers: counted by hand.
TEST(SpaceCommand, counts_what_the_registers_hold) {
  const Answer answer = space("--sample 9 --check --json");
  ASSERT_EQ(answer.exit_code, 0) << answer.error << answer.out;
  const json result = json::parse(answer.out);
  int expected = 0;
  for (const int rows : {1, 2, 3, 4, 6, 12})
    for (const int vectors : {1, 2, 4, 8}) expected += rows * vectors <= 16 ? 1 : 0;
  EXPECT_EQ(result["count"], expected);
  EXPECT_EQ(result["count_is_exact"], true);
  EXPECT_EQ(result["knobs"].size(), 3U);
  EXPECT_EQ(result["samples"].size(), 9U);
  EXPECT_EQ(result["valid"], 9);
  EXPECT_TRUE(result["failures"].empty());
  for (const char* field : {"sketches", "variables", "constraints", "deferred", "samples_per_s"})
    EXPECT_TRUE(result.contains(field)) << field;
  EXPECT_EQ(space("--sample 9 --json").out.substr(0, 40), answer.out.substr(0, 40));
}

TEST(SpaceCommand, says_what_nests_work_on_in_each_cache) {
  const std::string shown = space("--show").out;
  EXPECT_NE(shown.find("footprint_l1_C_update = m_1 * 28 + choice * 28 + m_1 * choice * 4"),
            std::string::npos)
      << shown;
  const json result = json::parse(space("--sample 5 --json").out);
  const auto named = [&](const std::string& name) {
    for (const json& footprint : result["footprints"])
      if (footprint["name"] == name) return footprint;
    return json();
  };
  const json update = named("footprint_l1_C_update");
  EXPECT_EQ(update["bytes"], "m_1 * 28 + choice * 28 + m_1 * choice * 4");
  EXPECT_EQ(update["level"], 1);
  EXPECT_EQ(update["sketch"], 0);
  EXPECT_EQ(update["cache_bytes"], 32768);
  for (const json& sample : result["samples"]) {
    const int rows = sample["m_1"], width = sample["choice"];
    EXPECT_EQ(sample["footprints"]["footprint_l1_C_update"], rows * 28 + width * 28 + rows * width * 4);
  }
  const Answer beyond = space("--within-cache 7");
  EXPECT_EQ(beyond.exit_code, 2);
  EXPECT_NE(beyond.error.find("--within-cache 7: generic-x86_64 has caches 1 to"), std::string::npos)
      << beyond.error;
  const std::string large =
      "space gemm 96,512,64 --target generic-x86_64 --schedule " + script() + " --count ";
  const int all = std::stoi(ardea(large).out), within = std::stoi(ardea(large + "--within-cache 1").out);
  EXPECT_LT(within, all);
  EXPECT_GT(within, 0);
}

/// Far more samples than anybody waits for, interrupted after the first word of progress.
TEST(SpaceCommand, answers_for_what_was_checked_where_it_is_interrupted) {
  const Folder folder;
  const std::string out = folder.write("out", ""), error = folder.write("error", "");
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    if (std::freopen(out.c_str(), "w", stdout) == nullptr ||
        std::freopen(error.c_str(), "w", stderr) == nullptr)
      std::_Exit(127);
    std::signal(SIGINT, SIG_DFL);
    execl("/bin/sh", "sh", "-c", "exec " ARDEA_COMMAND " space gemm 31,17,23 --sample 5000 --check --json",
          nullptr);
    std::_Exit(127);
  }
  for (int waited = 0; waited < 1200 && read_text_file(error).find(" of 5000 samples") == std::string::npos;
       ++waited)
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  kill(child, SIGINT);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status)) << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 130) << read_text_file(error);
  EXPECT_NE(read_text_file(error).find("0 invalid; "), std::string::npos) << read_text_file(error);
  const json result = json::parse(read_text_file(out));
  EXPECT_GT(result["valid"], 0);
  EXPECT_EQ(result["valid"].get<int>() + result["not_checked"].get<int>(), 5000);
  EXPECT_TRUE(result["failures"].empty());
}

/// Samples of a space with few points: each is tried once, and all are answered for.
TEST(SpaceCommand, tries_equal_samples_once) {
  const Answer answer = space("--sample 3000 --check --json");
  ASSERT_EQ(answer.exit_code, 0) << answer.error << answer.out;
  const json result = json::parse(answer.out);
  EXPECT_EQ(result["valid"], 3000);
  EXPECT_EQ(result["not_checked"], 0);
}

/// The rules' space of a product: a sketch for each way, of which every sample is a program.
TEST(SpaceCommand, makes_the_space_of_an_operator_by_rules) {
  const std::string gemm = "space gemm 12,7,12 --target generic-x86_64 ";
  const Answer answer = ardea(gemm + "--sample 6 --seed 3 --check --json");
  ASSERT_EQ(answer.exit_code, 0) << answer.error << answer.out;
  const json result = json::parse(answer.out);
  EXPECT_GE(result["sketches"].size(), 2U);
  EXPECT_EQ(result["samples"].size(), 6U);
  EXPECT_EQ(result["valid"], 6) << result["failures"];
  EXPECT_TRUE(result["deferred"].empty());
  double points = 0;
  for (const json& sketch : result["sketches"]) points += sketch["count"].get<double>();
  EXPECT_EQ(result["count"], points);
  EXPECT_TRUE(result["sketches"][0].contains("model"));
  EXPECT_EQ(ardea(gemm + "--count").out, std::to_string(static_cast<int>(points)) + "\n");

  std::string point = "sketch=1";
  const json model = result["sketches"][1]["model"];
  for (const auto& [name, value] : model.items())
    if (name != "sketch") point += "," + name + "=" + std::to_string(value.get<int>());
  EXPECT_EQ(ardea(gemm + "--explain " + point).out, "The point is a solution.\n");
  const Answer beyond = ardea(gemm + "--explain sketch=99");
  EXPECT_EQ(beyond.exit_code, 2);
  EXPECT_NE(beyond.error.find("there is no sketch 99"), std::string::npos) << beyond.error;
  const Answer one = ardea(gemm + "--sketch 1 --show");
  EXPECT_EQ(one.exit_code, 0) << one.error;
  EXPECT_NE(one.out.find("the model chooses"), std::string::npos) << one.out;
}

TEST(SpaceCommand, says_where_no_rule_serves) {
  const Answer answer = ardea("space gemm 12,5,11 --target vta");
  EXPECT_EQ(answer.exit_code, 0) << answer.error;
  EXPECT_NE(answer.out.find("no rule serves it on vta"), std::string::npos) << answer.out;
}

TEST(SpaceCommand, draws_a_picture) {
  const Folder folder;
  const std::string file = (folder.path() / "space.svg").string();
  ASSERT_EQ(space("--plot " + file).exit_code, 0);
  const std::string picture = read_text_file(file);
  EXPECT_TRUE(picture.starts_with("<svg ")) << picture.substr(0, 40);
  for (const char* part : {">m_0<", ">choice<", "vector registers", "</svg>"})
    EXPECT_NE(picture.find(part), std::string::npos) << part;
}

TEST(SpaceCommand, explains_points) {
  const Answer legal = space("--explain m_0=3,m_1=4,choice=16");
  EXPECT_EQ(legal.exit_code, 0) << legal.error;
  EXPECT_EQ(legal.out, "The point is a solution.\n");
  const Answer many = space("--explain m_0=2,m_1=6,choice=16");
  EXPECT_EQ(many.exit_code, 1) << many.error;
  EXPECT_NE(many.out.find("vector registers, the target generic-x86_64 has 16"), std::string::npos)
      << many.out;
  EXPECT_NE(many.out.find("choice = 8 alone would make it a solution"), std::string::npos) << many.out;
}

/// Some knobs only: a solution that has these values, or the constraints that no solution with them meets.
TEST(SpaceCommand, explains_parts_of_points) {
  const Answer some = space("--explain m_1=6,choice=8");
  EXPECT_EQ(some.exit_code, 0) << some.error;
  EXPECT_EQ(some.out, "There are solutions with it, such as m_0 = 2, m_1 = 6, choice = 8.\n");
  const Answer none = space("--explain m_1=12,choice=16");
  EXPECT_EQ(none.exit_code, 1) << none.error;
  EXPECT_NE(none.out.find("No solution has these values. These constraints cannot hold together"),
            std::string::npos)
      << none.out;
  EXPECT_NE(none.out.find("vector registers"), std::string::npos) << none.out;
  const Answer outside = space("--explain m_1=5");
  EXPECT_EQ(outside.exit_code, 1) << outside.error;
  EXPECT_NE(outside.out.find("m_1 is 5, which is not in"), std::string::npos) << outside.out;
}

TEST(SpaceCommand, says_what_is_wrong_with_the_question) {
  for (const auto& [arguments, sentence] : std::vector<std::pair<std::string, std::string>>{
           {"--explain x=3", "there is no knob x; they are m_0, m_1, choice"},
           {"--explain sketch=0", "it says no number; the knobs are m_0, m_1, choice"},
           {"--explain m_0", "\"m_0\" is not NAME=NUMBER"},
           {"--explain m_0=1,m_0=2", "m_0 has two values"},
           {"--check", "--check tries samples; add --sample N"},
           {"--csv points.csv", "--csv writes samples; add --sample N"}}) {
    const Answer answer = space(arguments);
    EXPECT_EQ(answer.exit_code, 2) << arguments;
    EXPECT_NE(answer.error.find(sentence), std::string::npos) << arguments << ": " << answer.error;
  }
}

TEST(SpaceCommand, writes_samples_as_a_table) {
  const Folder folder;
  const std::string file = (folder.path() / "points.csv").string();
  ASSERT_EQ(space("--sample 3 --csv " + file).exit_code, 0);
  const std::string table = read_text_file(file);
  EXPECT_TRUE(table.starts_with("m_0,m_1,choice")) << table;
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 4);
}

TEST(SpaceCommand, says_what_stands_in_the_way) {
  const Folder folder;
  const auto refused = [&](const std::string& steps) {
    const std::string file = (folder.path() / "steps.py").string();
    std::ofstream(file) << steps;
    return ardea("space gemm 8,8,8 --schedule " + file);
  };
  const Answer nothing = refused("i, j, k = sch.get_loops(sch.get_block(\"C\"))\n");
  EXPECT_EQ(nothing.exit_code, 2);
  EXPECT_NE(nothing.error.find("samples nothing"), std::string::npos) << nothing.error;
  const Answer contradictory = refused(R"(
i, j, k = sch.get_loops(sch.get_block("C"))
a, b = sch.sample_perfect_tile(i, 2, 4)
c = sch.sample_categorical([3, 5], [1, 1])
sch.split(j, [c, b], disable_predication=True)
)");
  EXPECT_EQ(contradictory.exit_code, 2) << contradictory.out;
  EXPECT_NE(contradictory.error.find("cannot hold together"), std::string::npos) << contradictory.error;
  EXPECT_NE(contradictory.error.find("choice"), std::string::npos) << contradictory.error;
}

/// Scratchpads and virtual threads of a machine that is not here: its limits are constraints, and the
/// interpreter runs its points.
TEST(SpaceCommand, fits_products_into_an_accelerators_scratchpads) {
  const std::string script = "--in int8,int8 --schedule examples/vta_gemm.py --target vta-out32 ";
  const std::size_t samples = test::sampled_count(3, 30);
  for (const char* shape : {"64,64,64", "5,33,47"}) {
    const Answer answer =
        ardea(fmt::format("space gemm {} {}--sample {} --check --json", shape, script, samples));
    ASSERT_EQ(answer.exit_code, 0) << answer.error << answer.out;
    const json result = json::parse(answer.out);
    EXPECT_EQ(result["valid"], samples) << answer.out;
    EXPECT_TRUE(result["failures"].empty());
  }
  const Answer shown = ardea("space gemm 1024,1024,1024 " + script + "--show");
  ASSERT_EQ(shown.exit_code, 0) << shown.error;
  for (const char* limit :
       {"bytes in vta.inp, the target vta-out32 has 32768",
        "bytes in vta.wgt, the target vta-out32 has 262144",
        "bytes in vta.acc, the target vta-out32 has 131072", "virtual threads, the target vta-out32 has 2"})
    EXPECT_NE(shown.out.find(limit), std::string::npos) << limit << "\n" << shown.out;
  const Answer limits = ardea("show gemm 64,64,64 " + script + "--as limits");
  for (const char* limit :
       {"bytes in vta.inp", " of 32768", "bytes in vta.wgt", " of 262144", "bytes in vta.acc", " of 131072"})
    EXPECT_NE(limits.out.find(limit), std::string::npos) << limits.out << limits.error;
}

}  // namespace
}  // namespace ardea::cli
