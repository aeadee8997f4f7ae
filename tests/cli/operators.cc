#include <fmt/core.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/command.h"

namespace ardea::cli {
namespace {

TEST(Ops, lists_every_operator_with_its_sizes) {
  const Answer table = ardea("ops");
  EXPECT_EQ(table.exit_code, 0) << table.error;
  EXPECT_NE(table.out.find("matmul_exp_matmul"), std::string::npos) << table.out;
  const auto all = nlohmann::json::parse(ardea("ops --json").out);
  EXPECT_EQ(all.size(), static_cast<std::size_t>(std::count(table.out.begin(), table.out.end(), '\n')));
  for (const auto& op : all) {
    EXPECT_FALSE(op["doc"].get<std::string>().empty()) << op["name"];
    EXPECT_FALSE(op["input_types"].empty()) << op["name"];
    EXPECT_NE(table.out.find(op["name"].get<std::string>() + " "), std::string::npos) << op["name"];
  }
  EXPECT_NE(ardea("ops c2d").out.find("--layout"), std::string::npos);
}

TEST(Show, takes_operators_in_every_form) {
  EXPECT_NE(ardea("show gemm 3,4,5 --as te").out.find("te.reduce_axis((0, 4)"), std::string::npos);
  EXPECT_NE(ardea("show gemm 3,4,5 --tb").out.find("B: T.Buffer((5, 4)"), std::string::npos);
  EXPECT_NE(ardea("show gemm 3,4,5 --as c").out.find("for (int"), std::string::npos);
  EXPECT_NE(
      ardea("show c2d 1,5,5,2,3,3,3,1,1,1 --layout nhwc --in float16 --acc float32").out.find("\"float16\""),
      std::string::npos);
  const std::string walk_through = ardea("show matmul_exp_matmul 1024,2048,1024,3072").out;
  EXPECT_EQ(walk_through, read_text_file(ARDEA_SOURCE_DIR "/tests/fixtures/seed002/blocks.tir"));
}

TEST(Run, takes_operators_and_every_backend) {
  for (const std::string backend : {"llvm", "c", "interp"}) {
    const Answer answer =
        ardea("run gemm 5,7,3 --in uint8,int8 --check --min-repeat-ms 0 --backend " + backend);
    EXPECT_EQ(answer.exit_code, 0) << answer.error;
    EXPECT_NE(answer.out.find("check: "), std::string::npos) << answer.out;
    EXPECT_NE(answer.out.find("rate: "), std::string::npos) << answer.out;
  }
}

TEST(Run, takes_operators_whose_sizes_only_the_call_knows) {
  const Answer run = ardea("run gemm m,7,3 --size m=5 --check --min-repeat-ms 0");
  EXPECT_EQ(run.exit_code, 0) << run.error;
  EXPECT_NE(run.out.find("A: float32[5, 7]"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("check: C agrees"), std::string::npos) << run.out;
  EXPECT_NE(ardea("show gemm m,7,3 --as te").out.find("te.placeholder((m, 7)"), std::string::npos);
  const Answer space = ardea("space softmax m,9 --sample 2 --check");
  EXPECT_NE(space.out.find("2 of 2 samples"), std::string::npos) << space.out << space.error;
  const Answer bench = ardea("bench relu m,9 --size m=3 --rivals none --rounds 6");
  EXPECT_NE(bench.out.find("relu m,9 with m=3"), std::string::npos) << bench.out << bench.error;
  const Folder folder;
  const Answer compiled = ardea("compile relu m,9 -o " + (folder.path() / "relu").string());
  EXPECT_EQ(compiled.exit_code, 0) << compiled.error;
}

TEST(TargetCommand, measures_one_thread_and_all_even_where_that_is_one) {
  const Folder folder;
  const Answer measured =
      ardea("target --measure --json", "", "ARDEA_NUM_THREADS=1 XDG_CACHE_HOME=" + folder.path().string());
  ASSERT_EQ(measured.exit_code, 0) << measured.error;
  const auto peaks = nlohmann::json::parse(measured.out)["peak_per_second"];
  const std::string of_one = "_per_core";
  EXPECT_GE(peaks.size(), 6U);
  for (const auto& [name, rate] : peaks.items()) {
    const bool is_of_one = name.ends_with(of_one);
    EXPECT_TRUE(peaks.contains(is_of_one ? name.substr(0, name.size() - of_one.size()) : name + of_one))
        << name;
  }
}

TEST(Run, tells_rates_and_shares_of_the_stored_peaks) {
  const Folder folder;
  const std::string cache = "XDG_CACHE_HOME=" + folder.path().string();
  const auto rates = [&] {
    const Answer answer = ardea("run examples/gemm.tir --json --min-repeat-ms 0", "", cache);
    EXPECT_EQ(answer.exit_code, 0) << answer.error;
    return nlohmann::json::parse(answer.out)["rates"];
  };
  EXPECT_FALSE(rates().contains("share_of_peak"));
  const Answer measured = ardea("target --measure --json", "", cache);
  ASSERT_EQ(measured.exit_code, 0) << measured.error;
  const auto peaks = nlohmann::json::parse(measured.out)["peak_per_second"];
  for (const char* name : {"float32_operations", "float64_operations", "memory_bytes"}) {
    EXPECT_GT(peaks[name], 1e8) << name;
    EXPECT_GE(peaks[name], peaks[std::string(name) + "_per_core"]) << name;
  }
  EXPECT_EQ(nlohmann::json::parse(ardea("target --json", "", cache).out)["peak_per_second"], peaks);
  const auto compared = rates();
  EXPECT_EQ(compared["peak"], "float32_operations");
  EXPECT_GT(compared["share_of_peak"], 0);
  EXPECT_LT(compared["share_of_peak"], 1.5);
}

TEST(Run, compares_with_the_peak_of_the_threads_that_ran) {
  const Folder folder;
  const std::string cache = with_measured_peaks() + "ARDEA_NUM_THREADS=";
  const Answer measured = ardea("target --json", "", cache + "2");
  ASSERT_EQ(measured.exit_code, 0) << measured.error;
  const auto peaks = nlohmann::json::parse(measured.out)["peak_per_second"];
  const double one = peaks["float32_operations_per_core"], all = peaks["float32_operations"];
  const auto peak_of_run = [&](const std::string& schedule) {
    const Answer answer =
        ardea("run gemm 64,64,64 --json --min-repeat-ms 0 --schedule " + schedule, "", cache + "2");
    EXPECT_EQ(answer.exit_code, 0) << answer.error;
    const auto rates = nlohmann::json::parse(answer.out)["rates"];
    return std::pair(rates["threads"].get<int>(),
                     rates["operations_per_s"].get<double>() / rates["share_of_peak"].get<double>());
  };
  const auto [serial_threads, serial_peak] = peak_of_run("none");
  EXPECT_EQ(serial_threads, 1);
  EXPECT_NEAR(serial_peak / one, 1, 1e-6);
  const std::string steps = folder.write("steps.py",
                                         "b = sch.get_block(\"C\")\nm, n, k = sch.get_loops(b)\n"
                                         "sch.parallel(m)\n");
  const auto [threads, peak] = peak_of_run(steps);
  EXPECT_EQ(threads, 2);
  EXPECT_NEAR(peak / std::min(all, 2 * one), 1, 1e-6);
  // A loop of two iterations keeps two threads busy, however many there are.
  const std::string two = folder.write("two.py",
                                       "b = sch.get_block(\"C\")\nm, n, k = sch.get_loops(b)\n"
                                       "mo, mi = sch.split(m, [2, None])\nsch.parallel(mo)\n");
  const Answer few = ardea("run gemm 64,64,64 --json --min-repeat-ms 0 --schedule " + two, "", cache + "5");
  EXPECT_EQ(nlohmann::json::parse(few.out)["rates"]["threads"], 2) << few.out << few.error;
  // What two threads can do says nothing of three.
  EXPECT_FALSE(
      nlohmann::json::parse(ardea("target --json", "", cache + "3").out).contains("peak_per_second"));
}

TEST(Schedules, transform_the_program_before_anything_else) {
  const Folder folder;
  const std::string steps =
      folder.write("steps.py",
                   "b = sch.get_block(\"C\")\nm, n, k = sch.get_loops(b)\n"
                   "mo, mi = sch.split(m, [None, 4])\nsch.reorder(mo, k, mi)\nsch.parallel(mo)\n");
  EXPECT_EQ(ardea("run gemm 10,7,5 --check --min-repeat-ms 0 --schedule examples/gemm_steps.py").exit_code,
            0);
  const Answer shown = ardea("show gemm 10,7,5 --schedule " + steps);
  EXPECT_NE(shown.out.find("for m_0 in T.parallel(3)"), std::string::npos) << shown.out << shown.error;
  const Answer run = ardea("run gemm 10,7,5 --check --min-repeat-ms 0 --schedule " + steps);
  EXPECT_EQ(run.exit_code, 0) << run.error;
  const std::string wrong =
      folder.write("wrong.py", "b = sch.get_block(\"C\")\nm, n, k = sch.get_loops(b)\nsch.parallel(k)\n");
  const Answer refused = ardea("run gemm 10,7,5 --schedule " + wrong);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.error.find("wrong.py:3:1: parallel(loop=k): iterations of loop k touch the same memory"),
            std::string::npos)
      << refused.error;
  EXPECT_EQ(ardea("show gemm 10,7,5 --schedule " + folder.path().string() + "/none.py").exit_code, 2);
}

TEST(Schedules, that_do_not_fit_get_a_sentence) {
  const Folder folder;
  const std::string out = folder.path().string() + "/out";
  const std::string head = "b = sch.get_block(\"C\")\nm, n, k = sch.get_loops(b)\n";
  const std::vector<std::pair<std::string, std::string>> faults = {
      {"b = sch.get_block(\"D\")\n",
       "steps:1:5: get_block(name=\"D\", func_name=None): there is no block \"D\"; the blocks are C"},
      {"b = sch.get_block(\"C\", func_name=\"other\")\n",
       "steps:1:5: get_block(name=\"C\", func_name=\"other\"): the program's function is main, not other"},
      {head + "sch.explode(m)\n", "steps:3:5: there is no primitive \"explode\""},
      {head + "sch.split(m, [None, 4])\nsch.unroll(m)\n",
       "steps:4:1: unroll(loop=m): loop m is gone: step 3, split(loop=m, factors=[None, 4], "
       "preserve_unit_iters=True, disable_predication=False), made m_0, m_1 of it"},
      {head + "sch.split(m, [None, 4]\n", "steps:4:1: found the end of the line, expected ')'"},
      {head + "sch.split(m, factors=[None, \"4\"])\n",
       "steps:3:22: split: factors must be a list, each of it an integer or a sampled number or None, and "
       "this "
       "is a list of None, the string \"4\""},
      {"[{\"primitive\": \"split\", \"arguments\": {}, \"results\": []}]",
       "steps: step 1: split needs loop, a loop"},
      {"[1, 2", "steps: it is no list of steps in JSON"},
      {std::string("b = sch.get_block(\"\0\xff", 21), "steps:1:"},
  };
  for (const auto& [steps, sentence] : faults) {
    const std::string file = folder.write("steps", steps);
    for (const std::string& command : std::vector<std::string>{"show", "run", "compile -o " + out}) {
      const Answer answer = ardea(fmt::format("{} gemm 10,7,5 --schedule {}", command, file));
      EXPECT_EQ(answer.exit_code, 2) << steps << answer.out;
      EXPECT_NE(answer.error.find(sentence), std::string::npos) << answer.error;
      EXPECT_EQ(std::count(answer.error.begin(), answer.error.end(), '\n'), 1) << answer.error;
    }
  }
  EXPECT_FALSE(std::filesystem::exists(out));
}

TEST(Schedules, keep_their_decisions_or_draw_them_anew) {
  const Folder folder;
  const std::string steps = folder.write("steps.py",
                                         "b = sch.get_block(\"C\")\nm, n, k = sch.get_loops(b)\nf = "
                                         "sch.sample_perfect_tile(m, 3)\nsch.split(m, f)\n");
  const std::string command = "show gemm 720,7,5 --schedule ";
  const Answer drawn = ardea(command + steps + " --as trace --draw 5");
  EXPECT_NE(drawn.out.find("decision=["), std::string::npos) << drawn.out << drawn.error;
  for (const char* form : {"trace", "trace-json"}) {
    const std::string kept = folder.write("kept", ardea(command + steps + " --draw 5 --as " + form).out);
    EXPECT_EQ(ardea(command + kept + " --as trace").out, drawn.out);
    EXPECT_EQ(ardea(command + kept).out, ardea(command + steps + " --draw 5").out);
    EXPECT_NE(ardea(command + kept + " --as trace --draw 6").out, drawn.out);
  }
  EXPECT_EQ(ardea("show transpose 2,3 --schedule none --as trace").exit_code, 2);
  EXPECT_EQ(ardea("show gemm 7,7,5 --draw 5").exit_code, 2);
}

TEST(Primitives, are_listed_with_their_contracts) {
  const Answer table = ardea("primitives");
  EXPECT_EQ(table.exit_code, 0) << table.error;
  EXPECT_EQ(nlohmann::json::parse(ardea("primitives --json").out).size(),
            static_cast<std::size_t>(std::count(table.out.begin(), table.out.end(), '\n')));
  EXPECT_NE(ardea("primitives split").out.find("factors"), std::string::npos);
  EXPECT_EQ(ardea("primitives splt").exit_code, 2);
}

TEST(Instructions, are_listed_with_what_they_need) {
  const Answer table = ardea("instructions --target neoverse-v1");
  EXPECT_EQ(table.exit_code, 0) << table.error;
  EXPECT_NE(table.out.find("neon.smmla                       i8mm         yes\n"), std::string::npos)
      << table.out;
  EXPECT_NE(table.out.find("avx512.fma_f32x16                avx512f      no, as its meaning\n"),
            std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(ardea("instructions --json").out).size() + 1,
            static_cast<std::size_t>(std::count(table.out.begin(), table.out.end(), '\n')));
  EXPECT_NE(ardea("instructions neon.bfmmla").out.find("rounding"), std::string::npos);
  EXPECT_EQ(ardea("instructions neon.smla").exit_code, 2);
  const std::string page = ardea("instructions neon.smmla").out;
  for (const char* part :
       {"\nmeaning\n", "\nllvm\n", "@llvm.aarch64.neon.smmla", "\nc\n", "vmmlaq_s32", "$function"})
    EXPECT_NE(page.find(part), std::string::npos) << part << " is not in: " << page;
  const auto json = nlohmann::json::parse(ardea("instructions neon.smmla --json").out);
  EXPECT_NE(json["implementations"]["c"].get<std::string>().find("vmmlaq_s32"), std::string::npos);
}

struct Wrong {
  std::string arguments, sentence;
};

TEST(Operators, bad_requests_are_answered_by_one_sentence) {
  const std::vector<Wrong> all = {
      {"run gem 4,4,4", "gem"},
      {"run gemm 4,4", "m,k,n"},
      {"run gemm", "needs its sizes m,k,n"},
      {"run nonsense", "neither a file nor an operator"},
      {"run gemm 4,0,4", "0"},
      {"run gemm 4,-1,4", "-1"},
      {"run gemm 4,four,4", "four"},
      {"run gemm 4000000000,4000000000,4000000000", "4000000000"},
      {"run gemm 4,4,4 --in float12", "float12"},
      {"run gemm 4,4,4 --in bool", "bool"},
      {"run c2d 1,4,4,1,1,3,3,1,1,1 --layout hwcn", "hwcn"},
      {"run c2d 1,2,2,1,1,5,5,1,0,1", "c2d"},
      {"run softmax 4,4 --tb", "tb"},
      {"run examples/gemm.tir --in float16", "--in"},
      {"run gemm 4,4,4 --backend d", "--backend d"},
      {"show examples/gemm.tir --as te", "--as te"},
      {"ops gem", "gemm"},
      {"target avx2 --measure", "--measure"},
      {"compile gemm 4,4,4 -o /proc/nothing", "-o /proc/nothing"},
      {"compile gemm 4,4,4", "-o"},
  };
  for (const Wrong& wrong : all) {
    const Answer answer = ardea(wrong.arguments);
    EXPECT_EQ(answer.exit_code, 2) << wrong.arguments << "\n" << answer.error;
    EXPECT_NE(answer.error.find(wrong.sentence), std::string::npos) << wrong.arguments << "\n"
                                                                    << answer.error;
    EXPECT_EQ(std::count(answer.error.begin(), answer.error.end(), '\n'), 1) << wrong.arguments << "\n"
                                                                             << answer.error;
    EXPECT_EQ(answer.out, "") << wrong.arguments;
  }
}

}  // namespace
}  // namespace ardea::cli
