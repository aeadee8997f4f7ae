#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "ardea/support/text_file.h"
#include "tests/cli/command.h"
#include "tests/support/sampled.h"

namespace ardea::cli {
namespace {

using nlohmann::json;

Answer run_bench(const std::string& arguments) {
  return ardea("bench " + arguments, "", with_measured_peaks());
}

TEST(BenchCommand, json_has_the_promised_fields) {
  const Answer answer = run_bench("gemm 17,13,11 --against cloop,copy --rounds 7 --json");
  ASSERT_EQ(answer.exit_code, 0) << answer.error;
  const json result = json::parse(answer.out);
  for (const char* field : {"ardea_us", "cloop_us", "copy_us", "ratio_vs_best", "ratio_low", "peak_share"}) {
    ASSERT_TRUE(result.contains(field)) << field;
    EXPECT_GT(result[field].get<double>(), 0) << field;
  }
  EXPECT_LE(result["ratio_low"], result["ratio_vs_best"]);
  EXPECT_EQ(result["rounds"], 7);
  EXPECT_EQ(result["caches"], "warm");
  EXPECT_EQ(result["agrees"], true);
  EXPECT_EQ(result["contenders"][0]["name"], "ardea");
  EXPECT_EQ(result["contenders"].size(), 4U) << "a copy comes in two ways";
}

TEST(BenchCommand, text_names_the_method_and_who_answered) {
  const Answer answer = run_bench("softmax 5,7 --against cloop --schedule none --rounds 6");
  ASSERT_EQ(answer.exit_code, 0) << answer.error;
  for (const char* part : {"1 thread, warm caches, 6 rounds of", "in rotated order", "as written",
                           "best: cloop", "cloop: plain loops, compiled by GCC"})
    EXPECT_NE(answer.out.find(part), std::string::npos) << part << " is not in: " << answer.out;
}

TEST(BenchCommand, other_schedules_have_turns_but_are_no_peers) {
  const Answer answer = run_bench("gemm 17,13,11 --rivals none,recipe --against cloop --rounds 7 --json");
  ASSERT_EQ(answer.exit_code, 0) << answer.error;
  const json result = json::parse(answer.out);
  ASSERT_EQ(result["contenders"].size(), 4U);
  EXPECT_EQ(result["contenders"][1]["name"], "none");
  EXPECT_EQ(result["contenders"][2]["name"], "recipe");
  EXPECT_EQ(result["contenders"][2]["kind"], "rival");
  EXPECT_EQ(result["contenders"][2]["agrees"], true);
  EXPECT_EQ(result["best"], "cloop");
  EXPECT_FALSE(result.contains("none_us"));
}

TEST(BenchCommand, schedules_are_compared_where_no_library_is) {
  const Answer answer = ardea("bench gemm 17,13,11 --peers /nowhere --rivals none --rounds 6 --json");
  ASSERT_EQ(answer.exit_code, 0) << answer.error;
  const json result = json::parse(answer.out);
  ASSERT_EQ(result["contenders"].size(), 2U);
  EXPECT_EQ(result["contenders"][1]["name"], "none");
  EXPECT_GT(result["contenders"][1]["ratio"].get<double>(), 0);
  EXPECT_FALSE(result.contains("best")) << "rivals are never the best";
}

const char* const scale_program =
    "@T.prim_func\ndef scale(x: T.handle, y: T.handle, factor: T.float32):\n    n = T.int64()\n"
    "    X = T.match_buffer(x, (n, 3), \"float32\")\n    Y = T.match_buffer(y, (n, 3), \"float32\")\n"
    "    for i, j in T.grid(n, 3):\n        with T.block(\"Y\"):\n"
    "            vi, vj = T.axis.remap(\"SS\", [i, j])\n            Y[vi, vj] = X[vi, vj] * factor\n";

TEST(BenchCommand, a_program_from_a_file_runs_against_its_other_schedules) {
  const Folder folder;
  const std::string program = folder.write("scale.tir", scale_program);
  const std::string steps = folder.write(
      "steps.py", "b = sch.get_block(\"Y\")\ni, j = sch.get_loops(b)\nsch.split(i, [None, 4])\n");
  const Answer answer = run_bench(program + " --schedule " + steps + " --rivals none," + steps +
                                  " --size n=37 --rounds 7 --json");
  ASSERT_EQ(answer.exit_code, 0) << answer.error;
  const json result = json::parse(answer.out);
  EXPECT_EQ(result["workload"], program + " with n=37");
  EXPECT_EQ(result["schedule"], steps);
  EXPECT_EQ(result["operations"], 37 * 3);
  ASSERT_EQ(result["contenders"].size(), 3U);
  for (const int i : {1, 2}) {
    EXPECT_EQ(result["contenders"][i]["kind"], "rival");
    EXPECT_EQ(result["contenders"][i]["agrees"], true);
    EXPECT_LE(result["contenders"][i]["ratio_low"], result["contenders"][i]["ratio"]);
  }
  EXPECT_EQ(result["contenders"][1]["name"], "none");
  EXPECT_FALSE(result.contains("best")) << "rivals are never the best";
  EXPECT_GT(result["peak_share"].get<double>(), 0);
  EXPECT_EQ(result["peak_threads"], 1);
}

TEST(BenchCommand, a_function_of_ones_own_runs_against_the_program) {
  const Folder folder;
  const std::string program = folder.write("scale.tir", scale_program);
  folder.write("scale.c",
               "#include <stdint.h>\nvoid scale(const float* x, float* y, float factor, int64_t n) {\n"
               "  for (int64_t i = 0; i < n * 3; ++i) y[i] = x[i] * factor;\n}\n"
               "int wrong(const float* x, float* y, float factor, int64_t n) {\n"
               "  for (int64_t i = 0; i < n * 3; ++i) y[i] = x[i] + factor;\n  return 0;\n}\n");
  const std::string library = (folder.path() / "libscale.so").string();
  const std::string build =
      "cc -O2 -fPIC -shared '" + (folder.path() / "scale.c").string() + "' -o '" + library + "'";
  if (std::system(build.c_str()) != 0)
    GTEST_SKIP() << "no C compiler makes libraries that this program can load";
  const std::string command = program + " --size n=41 --rounds 6 --library " + library + " --symbol ";
  const Answer answer = run_bench(command + "scale --json");
  ASSERT_EQ(answer.exit_code, 0) << answer.error;
  const json result = json::parse(answer.out);
  ASSERT_EQ(result["contenders"].size(), 2U);
  EXPECT_EQ(result["best"], "scale");
  EXPECT_EQ(result["contenders"][1]["agrees"], true);
  EXPECT_EQ(result["contenders"][1]["label"], "of " + library);
  EXPECT_GT(result["scale_us"].get<double>(), 0);
  const Answer wrong = run_bench(command + "wrong");
  EXPECT_EQ(wrong.exit_code, 1) << wrong.error;
  EXPECT_NE(wrong.out.find("WRONG"), std::string::npos) << wrong.out;
  const Answer absent = run_bench(command + "skale");
  EXPECT_EQ(absent.exit_code, 2);
  EXPECT_NE(absent.error.find("no such function"), std::string::npos) << absent.error;
  EXPECT_NE(absent.error.find("(const float* X, float* Y, float factor, int64_t n)"), std::string::npos)
      << absent.error;
}

TEST(BenchCommand, a_peer_that_cannot_do_it_is_left_out_with_a_sentence) {
  const Answer answer = run_bench("transpose 5,7 --against cloop --rounds 6");
  EXPECT_EQ(answer.exit_code, 0) << answer.error;
  EXPECT_NE(answer.out.find("cloop: left out, it has no transpose"), std::string::npos) << answer.out;
}

TEST(BenchCommand, a_peer_that_cannot_be_opened_is_left_out_unless_it_was_asked_for) {
  const Folder folder;
  const auto loops = std::filesystem::path(ARDEA_PEERS) / "cloop" / "peer.so";
  for (const char* name : {"broken", "loops"}) std::filesystem::create_directory(folder.path() / name);
  std::ofstream(folder.path() / "broken" / "peer.so") << "no library";
  std::filesystem::create_symlink(loops, folder.path() / "loops" / "peer.so");
  const std::string command = "add 3,5 --rounds 6 --peers " + folder.path().string();
  const Answer all = run_bench(command);
  EXPECT_EQ(all.exit_code, 0) << all.error;
  EXPECT_NE(all.out.find("broken: left out, the peer broken cannot be opened"), std::string::npos) << all.out;
  EXPECT_NE(all.out.find("best: loops"), std::string::npos) << all.out;
  const Answer asked = run_bench(command + " --against loops,broken");
  EXPECT_EQ(asked.exit_code, 2);
  EXPECT_NE(asked.error.find("the peer broken cannot be opened"), std::string::npos) << asked.error;
}

TEST(BenchCommand, a_set_gives_one_result_each_and_a_geometric_mean) {
  const Folder folder;
  const std::string file = folder.write(
      "sets.json", R"({"comment": "x", "tiny": {"gemm": [[3, 5, 7], [2, 2, 2]], "softmax": [[3, 4]]}})");
  const Answer answer = run_bench("--set tiny --workloads " + file + " --against cloop --rounds 6 --json");
  ASSERT_EQ(answer.exit_code, 0) << answer.error;
  const json result = json::parse(answer.out);
  EXPECT_EQ(result["results"].size(), 3U);
  for (const char* timed : {"gemm 3,5,7 ", "gemm 2,2,2 ", "softmax 3,4 "})
    EXPECT_NE(answer.error.find(timed), std::string::npos) << "what ends it early loses what was timed";
  EXPECT_GT(result["geometric_mean"].get<double>(), 0);
  EXPECT_LE(result["worst"], result["geometric_mean"]);
  const Answer lines = run_bench("--set tiny --workloads " + file + " --against cloop --rounds 6");
  EXPECT_EQ(std::count(lines.out.begin(), lines.out.end(), '\n'), 6) << lines.out;
  for (const char* words : {"gemm: geometric mean ", "softmax: geometric mean "})
    EXPECT_NE(lines.out.find(words), std::string::npos) << lines.out;
}

TEST(BenchCommand, a_set_has_its_channels_in_one_place) {
  const Folder folder;
  const std::string file =
      folder.write("sets.json", R"({"tiny": {"gemm": [[3, 5, 7]], "c1d": [[1, 5, 2, 3, 3, 1, 1, 1]]}})");
  const std::string set = "--set tiny --workloads " + file + " --against cloop --rounds 6";
  for (const auto& [asked, found] : {std::pair{" --layout nhwc", "layout=nwc"}, {"", "layout=ncw"}}) {
    const Answer answer = run_bench(set + asked + " --json");
    ASSERT_EQ(answer.exit_code, 0) << answer.error;
    EXPECT_NE(answer.out.find(found), std::string::npos) << answer.out;
  }
}

TEST(BenchCommand, a_member_of_a_set_that_fails_leaves_the_others_their_answers) {
  const Folder folder;
  const std::string file = folder.write("sets.json", R"({"tiny": {"gemm": [[3, 5], [3, 5, 7]]}})");
  const Answer answer = run_bench("--set tiny --workloads " + file + " --against cloop --rounds 6 --json");
  EXPECT_EQ(answer.exit_code, 1);
  const json results = json::parse(answer.out)["results"];
  ASSERT_EQ(results.size(), 2U);
  EXPECT_NE(results[0]["error"].get<std::string>().find("it takes 3"), std::string::npos);
  EXPECT_TRUE(results[1].contains("ratio_vs_best"));
}

TEST(BenchCommand, threads_against_copies) {
  const Answer answer = run_bench("gemm 33,35,37 --threads 2 --copies --rounds 6 --json");
  ASSERT_EQ(answer.exit_code, 0) << answer.error;
  const json result = json::parse(answer.out);
  EXPECT_GT(result["ratio_vs_copies"].get<double>(), 0);
  EXPECT_LE(result["ratio_low"], result["ratio_vs_copies"]);
  EXPECT_EQ(result["agrees"], true);
}

TEST(BenchCommand, the_workloads_of_the_repository_are_operators_with_right_sizes) {
  const json sets = json::parse(read_text_file(ARDEA_SOURCE_DIR "/bench/workloads.json"));
  for (const char* set : {"cpu_f32", "frameworks_f32"}) {
    ASSERT_TRUE(sets.contains(set));
    for (const auto& [op, shapes] : sets[set].items())
      for (const json& shape : test::sampled(3, shapes.get<std::vector<json>>())) {
        std::string sizes = shape.dump();
        sizes = sizes.substr(1, sizes.size() - 2);
        EXPECT_EQ(ardea("show " + op + " " + sizes + " --as te").exit_code, 0) << op << " " << sizes;
      }
  }
}

TEST(BenchCommand, wrong_input_is_one_sentence_and_exit_code_2) {
  const Folder folder;
  const std::string sets = folder.write("sets.json", R"({"tiny": {"gemm": [[3, 5, 7]]}})");
  const std::string broken = folder.write("broken.json", "{");
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"gemm 3,5,7 --against cloup", "make bench-peers"},
      {"gemm 3,5,7 --against cloup", "did you mean cloop"},
      {"gemm 3,5,7 --peers /nowhere", "there are no peers in /nowhere"},
      {"gemm 3,5,7 --peers /nowhere --against openblas", "make bench-peers"},
      {"gemm 3,5,7 --against cloop --rounds 3", "at least 6 rounds"},
      {"gemm 3,5,7 --against cloop --rounds -1", "at least 6 rounds"},
      {"gemm 3,5,7 --against cloop --threads 0", "--threads 0: must be from 1"},
      {"gemm 3,5 --against cloop", "it takes 3: m,k,n"},
      {"gem 3,5,7 --against cloop", "gemm"},
      {"examples/gemm.tir --against cloop",
       "a program from a file, or with sizes that only a call knows, has no peers"},
      {"examples/gemm.tir", "there is nobody to compare it with"},
      {"examples/gemm.tir --rivals nowhere.py", "nowhere.py: there is no such file"},
      {"examples/gemm.tir --library /nowhere.so --symbol f", "/nowhere.so"},
      {"examples/gemm.tir --library /nowhere.so", "belong together"},
      {"gemm 3,5,7 --symbol f --against cloop", "belong together"},
      {"gemm 3,5,7 --size n=3 --against cloop", "belongs to files"},
      {"examples/gemm.tir --threads 2 --copies", "is for operators"},
      {"gemm 3,5,7 --copies", "on --threads 2 or more"},
      {"gemm 3,5,7 --threads 2 --copies --against cloop", "leave --against out"},
      {"gemm 3,5,7 --against cloop --rivals ,none", "a name is missing"},
      {"gemm 3,5,7 --threads 2 --copies --rivals none", "leave --rivals out"},
      {"gemm 3,5,7 --against cloop --rivals nowhere.py", "nowhere.py: there is no such file"},
      {"--against cloop", "bench needs an operator"},
      {"--set big --workloads " + sets, "has only tiny"},
      {"--set tiny --workloads " + broken, "no JSON object"},
      {"gemm 3,5,7 --set tiny --workloads " + sets, "leave gemm out"},
      {"--set tiny --workloads /nowhere.json", "/nowhere.json"}};
  for (const auto& [arguments, part] : cases) {
    const Answer answer = run_bench(arguments);
    EXPECT_EQ(answer.exit_code, 2) << arguments << ": " << answer.error;
    EXPECT_EQ(answer.out, "") << arguments;
    EXPECT_NE(answer.error.find(part), std::string::npos) << arguments << ": " << answer.error;
    EXPECT_EQ(std::count(answer.error.begin(), answer.error.end(), '\n'), 1) << answer.error;
  }
}

}  // namespace
}  // namespace ardea::cli
