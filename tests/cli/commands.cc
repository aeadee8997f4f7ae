#include <fmt/core.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "ardea/runtime/npy.h"
#include "tests/cli/command.h"
#include "tests/support/sampled.h"

namespace ardea::cli {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> examples() {
  std::vector<std::string> paths;
  for (const auto& entry : fs::directory_iterator(ARDEA_SOURCE_DIR "/examples"))
    if (entry.path().extension() == ".tir") paths.push_back("examples/" + entry.path().filename().string());
  std::sort(paths.begin(), paths.end());
  return paths;
}

TEST(Run, checks_every_example) {
  ASSERT_GE(examples().size(), 9u);
  for (const std::string& path : examples()) {
    const Answer answer = ardea("run " + path + " --check --min-repeat-ms 0 --repeat 1 --json");
    ASSERT_EQ(answer.exit_code, 0) << path << "\n" << answer.out << answer.error;
    const auto json = nlohmann::json::parse(answer.out);
    EXPECT_TRUE(json["check"]["agrees"]) << path;
    EXPECT_GE(json["check"]["arguments"].size(), 1u) << path;
    EXPECT_GT(json["median_s"], 0) << path;
  }
}

TEST(Worker, is_no_command_that_people_are_told_of) {
  EXPECT_EQ(ardea("--help").out.find("worker"), std::string::npos);
  const Answer help = ardea("worker --help");
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_NE(help.out.find("a process that the tuner starts"), std::string::npos) << help.out;
  const Answer unknown = ardea("worker fly");
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_EQ(unknown.error, "ardea: worker fly: there is no such worker, only build, run and reference\n");
}

TEST(Worker, ends_with_its_input) { EXPECT_EQ(ardea("worker build").exit_code, 0); }

TEST(Show, timing_names_every_step_pass_and_part_of_llvm) {
  const Answer answer = ardea("show gemm 16,16,16 --timing --json");
  ASSERT_EQ(answer.exit_code, 0) << answer.error;
  const auto json = nlohmann::json::parse(answer.out);
  std::map<std::string, std::vector<std::string>> names;
  double sum = 0;
  for (const auto& row : json["rows"]) {
    names[row["part"]].push_back(row["step"]);
    EXPECT_GE(row["ms"], 0);
    sum += row["ms"].get<double>();
  }
  EXPECT_EQ(names["llvm"], (std::vector<std::string>{"emit", "optimize", "generate code", "load"}));
  std::vector<std::string> passes;
  std::istringstream lines(ardea("show --list-passes").out);
  for (std::string line; std::getline(lines, line);) passes.push_back(line.substr(0, line.find(' ')));
  EXPECT_EQ(names["lower"], passes);
  std::size_t steps = 0;  // they are indented
  std::istringstream trace(ardea("show gemm 16,16,16 --as trace").out);
  for (std::string line; std::getline(trace, line);) steps += line.starts_with("  ") ? 1 : 0;
  EXPECT_EQ(names["schedule"].size(), 1 + steps);
  // What is scheduled, every step that changed it, and what is compiled.
  const std::vector<std::string>&taken = names["schedule"], &verified = names["verify"];
  ASSERT_GE(verified.size(), 3u);
  EXPECT_LE(verified.size(), 2 + steps);
  EXPECT_EQ(verified.front(), "begin");
  EXPECT_EQ(verified.back(), "verify");
  for (std::size_t i = 0; i + 1 < verified.size(); ++i)
    EXPECT_NE(std::find(taken.begin(), taken.end(), verified[i]), taken.end()) << verified[i];
  EXPECT_GT(json["total_ms"], 0);
  double parts = 0;
  for (const auto& [part, ms] : json["parts_ms"].items()) parts += ms.get<double>();
  EXPECT_NEAR(parts, std::max(sum, json["total_ms"].get<double>()), 1e-6 * parts);

  const Answer table = ardea("show gemm 8,8,8 --timing --schedule none --target avx2");
  EXPECT_NE(table.out.find("vectorize"), std::string::npos) << table.out << table.error;
  EXPECT_EQ(table.out.find(" load "), std::string::npos)
      << "nothing is loaded that this machine need not run";
  EXPECT_EQ(ardea("show gemm 8,8,8 --timing --as asm").exit_code, 2);
  const Answer gpu = ardea("show relu 8,8 --timing --target h200");
  for (const char* step : {"unify_thread_bindings", "source"})
    EXPECT_NE(gpu.out.find(step), std::string::npos) << gpu.out << gpu.error;
}

TEST(Run, the_interpreter_is_a_backend_too) {
  const Answer answer = ardea("run examples/prefix_sum.tir --backend interp --check");
  EXPECT_EQ(answer.exit_code, 0) << answer.error;
  EXPECT_NE(answer.out.find("interp: median"), std::string::npos) << answer.out;
}

TEST(Run, symbolic_sizes_come_from_the_command_line) {
  const Answer answer = ardea("run examples/dynamic_gemm.tir --size m=1 --size n=31 --size k=2 --check");
  EXPECT_EQ(answer.exit_code, 0) << answer.error;
  EXPECT_NE(answer.out.find("C: float32[1, 31] output"), std::string::npos) << answer.out;
}

TEST(Run, sizes_may_be_nothing_where_there_is_nothing_to_write) {
  for (const std::string backend : {"llvm", "c", "interp"}) {
    const std::string command =
        "run examples/dynamic_gemm.tir --min-repeat-ms 0 --check --backend " + backend;
    const Answer answer = ardea(command + " --size m=0");
    EXPECT_EQ(answer.exit_code, 0) << answer.error;
    EXPECT_NE(answer.out.find("C: float32[0, "), std::string::npos) << answer.out;
    const Answer refused = ardea(command + " --size k=0");
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_NE(refused.error.find("nothing would be computed"), std::string::npos) << refused.error;
  }
  EXPECT_NE(ardea("run examples/dynamic_gemm.tir --size m=-1").error.find("must not be negative"),
            std::string::npos);
}

TEST(Run, saves_arrays_and_a_manifest_that_names_them) {
  const Folder folder;
  const std::string out = (folder.path() / "deep" / "run").string();
  const Answer answer = ardea("run examples/gemm_bfloat16.tir --seed 3 --save " + out);
  ASSERT_EQ(answer.exit_code, 0) << answer.error;
  const auto manifest = nlohmann::json::parse(read_text_file(out + "/manifest.json"));
  EXPECT_EQ(manifest["seed"], 3);
  ASSERT_EQ(manifest["arguments"].size(), 4u);
  for (const auto& argument : manifest["arguments"]) {
    const runtime::Array array = runtime::read_npy(out + "/" + argument["file"].get<std::string>());
    EXPECT_EQ(array.shape(), argument["shape"].get<std::vector<std::int64_t>>());
    EXPECT_EQ(argument["storage"], "raw bits of bfloat16 as uint16");
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path() / "deep"), fs::directory_iterator()), 1)
      << "something was left behind";
}

TEST(Run, saves_an_in_place_argument_before_and_after) {
  const Folder folder;
  const std::string program = folder.write("scale.tir",
                                           "@T.prim_func\ndef scale(X: T.Buffer((5,), \"float32\")):\n"
                                           "    for i in range(5):\n        X[i] = X[i] * T.float32(2.0)\n");
  ASSERT_EQ(ardea("run " + program + " --save " + folder.path().string() + "/out").exit_code, 0);
  const runtime::Array before = runtime::read_npy(folder.path() / "out/X.npy");
  const runtime::Array after = runtime::read_npy(folder.path() / "out/X.out.npy");
  for (int i = 0; i < 5; ++i) EXPECT_EQ(after.get_float(i), 2 * before.get_float(i));
}

TEST(Show, prints_the_program_and_every_form_of_it) {
  const Answer text = ardea("show examples/gemm.tir");
  EXPECT_EQ(text.exit_code, 0) << text.error;
  EXPECT_NE(text.out.find("vi, vj, vr = T.axis.remap(\"SSR\", [i, j, r])"), std::string::npos) << text.out;
  const Answer lowered = ardea("show examples/gemm.tir --as lowered");
  EXPECT_EQ(lowered.out.find("T.block"), std::string::npos);
  EXPECT_EQ(lowered.out.find("abi_"), std::string::npos) << "arguments are checked in another form";
  EXPECT_NE(lowered.out.find("def gemm(A: T.Buffer((127, 93)"), std::string::npos) << lowered.out;
  const Answer checked = ardea("show examples/gemm.tir --as lowered --checks");
  EXPECT_NE(checked.out.find("T.abi_tensor_rank"), std::string::npos) << checked.out << checked.error;
  const Answer misplaced = ardea("show examples/gemm.tir --checks");
  EXPECT_EQ(misplaced.exit_code, 2);
  EXPECT_NE(misplaced.error.find("give --as lowered, not --as tir"), std::string::npos) << misplaced.error;
  EXPECT_NE(
      ardea("show gemm 64,64,64 --schedule recipe --as limits --target avx2").out.find("vector registers"),
      std::string::npos);
  EXPECT_NE(ardea("show examples/gemm.tir --as llvm").out.find("define "), std::string::npos);
  EXPECT_NE(ardea("show examples/gemm.tir --as asm --target neoverse-n1").out.find("fmadd"),
            std::string::npos);
  EXPECT_NE(ardea("show examples/gemm.tir --as asm --target avx2").out.find("vfmadd"), std::string::npos);
}

TEST(Show, what_it_prints_is_a_program_again) {
  const Folder folder;
  for (const std::string& path : examples()) {
    const Answer first = ardea("show " + path);
    ASSERT_EQ(first.exit_code, 0) << path << first.error;
    const Answer again = ardea("show " + folder.write("again.tir", first.out));
    EXPECT_EQ(again.out, first.out) << path;
  }
}

TEST(Show, computes_literals_in_what_a_schedule_made_and_nothing_that_was_written) {
  const Folder folder;
  const std::string program = folder.write(
      "f.tir",
      "@T.prim_func\ndef f(A: T.Buffer((2048 + 4, 2), \"float32\"), B: T.Buffer((2048, 2), \"float32\")):\n"
      "    for i, j in T.grid(2048, 2):\n        with T.block(\"B\"):\n"
      "            v, w = T.axis.remap(\"SS\", [i, j])\n"
      "            B[v + 0, w] = A[v * 1 + 0, w] + A[v + 4, w]\n");
  EXPECT_NE(ardea("show " + program).out.find("B[v + 0, w] = A[v * 1 + 0, w]"), std::string::npos);
  const std::string steps = folder.write(
      "steps.py", "b = sch.get_block(\"B\")\ni, j = sch.get_loops(b)\nsch.split(i, [None, 8])\n");
  const Answer scheduled = ardea("show " + program + " --schedule " + steps);
  EXPECT_NE(scheduled.out.find("B[v, w] = A[v, w] + A[v + 4, w]"), std::string::npos)
      << scheduled.out << scheduled.error;
  EXPECT_NE(scheduled.out.find("A: T.Buffer((2052, 2)"), std::string::npos) << scheduled.out;
  const Answer lowered = ardea("show " + program + " --as lowered");
  EXPECT_NE(lowered.out.find("T.Buffer((4104,), data=A.data)"), std::string::npos) << lowered.out;
  EXPECT_EQ(ardea("run " + program + " --check --min-repeat-ms 0 --schedule " + steps).exit_code, 0);
}

TEST(Show, names_its_passes_and_prints_after_each) {
  std::istringstream lines(ardea("show --list-passes").out);
  int passes = 0;
  for (std::string line; std::getline(lines, line); ++passes) {
    const std::string name = line.substr(0, line.find(' '));
    // Of two programs each pass has one, by turns.
    for (const std::size_t which : {0, 1}) {
      if (!test::takes_case(static_cast<std::size_t>(passes) + which, 2)) continue;
      const char* const path = which == 0 ? "examples/softmax.tir" : "examples/lowered.tir";
      const Answer answer = ardea(fmt::format("show {} --pass {}", path, name));
      EXPECT_EQ(answer.exit_code, 0) << name << answer.error;
      EXPECT_NE(answer.out.find("@T.prim_func"), std::string::npos) << name;
    }
  }
  EXPECT_GE(passes, 10);
}

TEST(Show, json_has_the_hash_and_the_parameters) {
  const auto json = nlohmann::json::parse(ardea("show examples/gemm.tir --json").out);
  EXPECT_EQ(json["functions"][0]["parameters"][2]["role"], "output");
  EXPECT_EQ(json["functions"][0]["parameters"][0]["shape"], (nlohmann::json{127, 93}));
  EXPECT_EQ(json["functions"][0]["hash"].get<std::string>().size(), 16u);
}

TEST(Compile, writes_every_example_as_a_library) {
  const Folder folder;
  for (const std::string& path : examples()) {
    const Answer answer = ardea("compile " + path + " -o " + folder.path().string() + " --json");
    ASSERT_EQ(answer.exit_code, 0) << path << "\n" << answer.error;
    const auto json = nlohmann::json::parse(answer.out);
    const auto manifest = nlohmann::json::parse(read_text_file(json["manifest"].get<std::string>()));
    EXPECT_EQ(manifest["files"].size() + 1, json["files"].size());
    for (const auto& file : json["files"]) EXPECT_TRUE(fs::exists(file.get<std::string>())) << file;
  }
}

TEST(Compile, writes_what_is_asked_for_under_the_names_asked_for) {
  const Folder folder;
  const std::string out = (folder.path() / "deep" / "out").string();
  const Answer answer =
      ardea("compile examples/gemm.tir --name mine --prefix my_ --target generic-x86_64 --only h -o " + out);
  EXPECT_EQ(answer.exit_code, 0) << answer.error;
  EXPECT_EQ(answer.out, out + "/mine.h\n" + out + "/mine.json\n");
  EXPECT_NE(read_text_file(out + "/mine.h").find("int my_gemm("), std::string::npos);
}

TEST(Compile, promises_the_alignment_that_is_asked_for) {
  const Folder folder;
  const auto header = [&](const std::string& align) {
    const Answer answer = ardea("compile gemm 3,5,7 --only h " + align + " -o " + folder.path().string());
    EXPECT_EQ(answer.exit_code, 0) << answer.error;
    const auto json = nlohmann::json::parse(read_text_file((folder.path() / "gemm.json").string()));
    std::string all;
    for (const auto& parameter : json["functions"][0]["parameters"])
      all += parameter["name"].get<std::string>() + parameter["alignment_bytes"].dump() + " ";
    return all;
  };
  EXPECT_EQ(header(""), "A4 B4 C4 ");
  EXPECT_EQ(header("--align 64"), "A64 B64 C64 ");
  EXPECT_EQ(header("--align B=32,C=64"), "A4 B32 C64 ");
  EXPECT_NE(read_text_file((folder.path() / "gemm.h").string()).find("address a multiple of 32"),
            std::string::npos);
}

TEST(Target, describes_this_machine_and_named_ones) {
  const auto host = nlohmann::json::parse(ardea("target --json").out);
  EXPECT_GE(host["cores"], 1);
  EXPECT_NE(ardea("target neoverse-v1").out.find("aarch64"), std::string::npos);
  EXPECT_NE(ardea("target --list").out.find("neoverse-v1"), std::string::npos);
}

}  // namespace
}  // namespace ardea::cli
