#include <fmt/core.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <nlohmann/json.hpp>
#include <set>

#include "ardea/db/database.h"
#include "tests/cli/command.h"

/// `ardea tune` from end to end, on products so small that a trial takes no time.

namespace ardea::cli {

namespace {

using nlohmann::json;

class TuneCommand : public testing::Test {
 protected:
  std::string at(const std::string& name) const { return (folder_.path() / name).string(); }
  /// Whatever a user has of their own stays out of it. On one thread, unless it is asked for more: then
  /// building need not wait for timing.
  Answer tune(const std::string& arguments, const std::string& before = "") const {
    return ardea("tune " + arguments + " --without-libraries --db " + at("t.db"), "",
                 "ARDEA_NUM_THREADS=1 " + before + " " + with_kept_peaks() + "HOME=" + at("home") + " ");
  }
  std::string config(const std::string& keys) const {
    return folder_.write("config.json", "{\"config\": {" + keys + "}}");
  }
  static void expect_refused(const Answer& answer, const std::string& part) {
    EXPECT_EQ(answer.exit_code, 2);
    EXPECT_NE(answer.error.find(part), std::string::npos) << answer.error;
  }
  const Folder folder_;
};

TEST_F(TuneCommand, finds_checks_and_remembers_a_program) {
  const Answer answer = tune("gemm 16,16,16 --trials 6 --seed 3 --json --csv " + at("trials.csv"));
  ASSERT_EQ(answer.exit_code, 0) << answer.error << answer.out;
  const json result = json::parse(answer.out);
  EXPECT_EQ(result["trials"], 6);
  EXPECT_EQ(result["timed"], 6) << "every point of the space is a program that runs: " << result["failures"];
  EXPECT_TRUE(result["failures"].empty());
  EXPECT_FALSE(result["method_why"].get<std::string>().empty()) << "the default says why";
  EXPECT_GE(result["speedup"]["median"].get<double>(), 1) << "the default point takes part in the duel";
  EXPECT_GT(result["tuned"]["time_s"].get<double>(), 0);

  const db::Database database = db::Database::open(at("t.db"));
  const auto tasks = database.tasks().sound;
  ASSERT_EQ(tasks.size(), 1U);
  EXPECT_EQ(tasks[0].task.workload, result["workload"].get<std::string>());
  const auto best = database.best(tasks[0].id);
  ASSERT_TRUE(best);
  EXPECT_EQ(json::parse(best->trace), result["tuned"]["trace"]);
  std::set<std::string> notes;
  for (const db::Note& note : database.notes(tasks[0].id).sound) notes.insert(note.name);
  EXPECT_TRUE(notes.contains("run"));
  EXPECT_TRUE(notes.contains("default"));

  const std::string csv = folder_.read("trials.csv");
  EXPECT_TRUE(csv.starts_with("trial,gop_per_s,outcome,"));
  EXPECT_GE(std::count(csv.begin(), csv.end(), '\n'), 1 + 6);

  // The same run once more, without measuring.
  const Answer again = tune("gemm 16,16,16 --trials 6 --seed 3 --json --replay");
  ASSERT_EQ(again.exit_code, 0) << again.error;
  EXPECT_EQ(json::parse(again.out)["tuned"]["trace"], result["tuned"]["trace"]);
  EXPECT_EQ(json::parse(again.out)["trials"], 6);
  const Answer other = tune("gemm 16,16,16 --trials 6 --seed 4 --replay");
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_NE(other.error.find("has no run of"), std::string::npos) << other.error;

  // And some trials more.
  const Answer more = tune("gemm 16,16,16 --trials 9 --seed 3 --json --resume");
  ASSERT_EQ(more.exit_code, 0) << more.error;
  EXPECT_EQ(json::parse(more.out)["earlier"], 6);
  EXPECT_EQ(json::parse(more.out)["trials"], 3);
}

TEST_F(TuneCommand, says_in_words_what_it_found) {
  const Answer answer = tune("softmax 4,32 --trials 2 --method random");
  ASSERT_EQ(answer.exit_code, 0) << answer.error;
  for (const char* part : {"softmax 4,32", "2 trials", "by random", "default", "tuned", "× default",
                           "recorded in", "next: ardea run softmax 4,32 --best --check"})
    EXPECT_NE(answer.out.find(part), std::string::npos) << part << " is not in:\n" << answer.out;
}

TEST_F(TuneCommand, shares_a_budget_among_workloads) {
  const std::string suite =
      folder_.write("suite.json", R"(["gemm 8,8,8", {"workload": "softmax 4,32", "weight": 2}])");
  const Answer answer = tune("--suite " + suite + " --trials 5 --method random --json");
  ASSERT_EQ(answer.exit_code, 0) << answer.error;
  const json result = json::parse(answer.out);
  ASSERT_EQ(result["workloads"].size(), 2U);
  int trials = 0;
  for (const json& one : result["workloads"]) {
    EXPECT_GE(one["trials"].get<int>(), 1);
    trials += one["trials"].get<int>();
  }
  EXPECT_EQ(trials, 5) << "the last batch takes no more than is left";
  EXPECT_GT(result["tuned_s"].get<double>(), 0);
  // Which moments are told of depends on the machine; whichever they are, each trial counts once.
  const std::string of_all = " of 5 trials, 2 workloads] ";
  for (std::size_t at = answer.error.find(of_all); at != std::string::npos;
       at = answer.error.find(of_all, at + 1))
    EXPECT_LE(std::stoi(answer.error.substr(answer.error.rfind('[', at) + 1)), 5) << answer.error;
}

/// What is tuned by default is what is used by default, and a line says for how many threads it is.
TEST_F(TuneCommand, is_found_by_the_commands_that_leave_the_threads_open) {
  const std::string on_two = "ARDEA_NUM_THREADS=2 ";
  const Answer two = tune("gemm 16,16,16 --trials 2 --method random --json", on_two);
  ASSERT_EQ(two.exit_code, 0) << two.error;
  EXPECT_EQ(json::parse(two.out)["threads"], 2) << "as many as `run` takes";
  const std::string quick = " --repeat 1 --min-repeat-ms 0 --json --db " + at("t.db");
  const auto record_of = [&](const std::string& options, const std::string& environment) {
    const Answer run = ardea("run gemm 16,16,16" + options + quick, "", environment);
    EXPECT_EQ(run.exit_code, 0) << run.error;
    const json answer = json::parse(run.out, nullptr, false);
    const int threads = answer.contains("record") ? answer["record"]["threads"].get<int>() : 0;
    const std::string told = fmt::format("as tuned for {} thread", threads);
    EXPECT_EQ(run.error.find(told) != std::string::npos, threads > 0) << run.error;
    return threads;
  };
  EXPECT_EQ(record_of("", on_two), 2);
  EXPECT_EQ(record_of(" --best", on_two), 2);

  // For one thread there is none yet: the rules know how to use that; who names the record gets it, if the
  // machine can run it.
  const Answer one = tune("gemm 16,16,16 --trials 2 --method random --threads 1");
  ASSERT_EQ(one.exit_code, 0) << one.error;
  EXPECT_NE(one.out.find("next: ardea run gemm 16,16,16 --threads 1 --best"), std::string::npos) << one.out;
  EXPECT_EQ(record_of(" --best", "ARDEA_NUM_THREADS=1 "), 1);
  const std::string on_more = "ARDEA_NUM_THREADS=64 ";
  EXPECT_EQ(record_of("", on_more), 0);
  EXPECT_GE(record_of(" --best", on_more), 1);
  expect_refused(
      ardea("run gemm 16,16,16 --threads 64 --best --db " + at("t.db")),
      "no record of gemm 16,16,16 on host for 64 threads; there are records for 1 thread; and for 2 "
      "threads; `ardea tune gemm 16,16,16 --threads 64` makes one");
  const Answer shown = ardea("show gemm 16,16,16 --best --as trace --db " + at("t.db"), "", on_more);
  EXPECT_EQ(shown.exit_code, 0) << shown.error;
  EXPECT_NE(shown.error.find("; there is none for 64 threads, which `ardea tune gemm 16,16,16 --threads 64` "
                             "makes"),
            std::string::npos)
      << shown.error;
}

/// Weights that are packed once are another task than weights as they come, in every command.
TEST_F(TuneCommand, times_weights_packed_ahead_without_the_packing) {
  const Answer tuned = tune("gemm 13,40,37 --prepacked --trials 4 --method random --json");
  ASSERT_EQ(tuned.exit_code, 0) << tuned.error << tuned.out;
  const json result = json::parse(tuned.out);
  EXPECT_EQ(result["timed"], 4) << "every point of the space packs ahead: " << result["failures"];
  EXPECT_TRUE(result["prepacked"]);
  const auto tasks = db::Database::open(at("t.db")).tasks().sound;
  ASSERT_EQ(tasks.size(), 1U);
  EXPECT_EQ(tasks[0].task.protocol, "median-1-prepacked");

  const std::string db = " --db " + at("t.db"), one = "ARDEA_NUM_THREADS=1 ";
  const Answer run =
      ardea("run gemm 13,40,37 --prepacked --best --check --json --repeat 1 --min-repeat-ms 0" + db, "", one);
  ASSERT_EQ(run.exit_code, 0) << run.error;
  EXPECT_NE(run.error.find("as tuned for 1 thread, weights packed ahead: trial "), std::string::npos)
      << run.error;
  EXPECT_TRUE(json::parse(run.out)["prepacked"]);
  EXPECT_TRUE(json::parse(run.out)["check"]["agrees"]);
  const Answer shipped =
      ardea("compile gemm 13,40,37 --prepacked --best --only h --json -o " + at("out") + db, "", one);
  ASSERT_EQ(shipped.exit_code, 0) << shipped.error;
  EXPECT_TRUE(json::parse(shipped.out).contains("record"));
  EXPECT_NE(folder_.read("out/gemm.h").find("ardea_gemm_pack("), std::string::npos);
  EXPECT_NE(ardea("show gemm 13,40,37 --prepacked --best" + db, "", one).out.find("def main_pack(B: "),
            std::string::npos);
  const Answer best = ardea("best gemm 13,40,37 --prepacked" + db);
  EXPECT_EQ(best.out.find("gemm 13,40,37 prepacked on host, 1 thread: "), 0U) << best.out;

  // Neither is the other's.
  expect_refused(
      ardea("show gemm 13,40,37 --best" + db, "", one),
      "there are records with weights packed ahead (--prepacked); `ardea tune gemm 13,40,37` makes");
  const Answer again = tune("gemm 13,40,37 --prepacked --trials 4 --method random --json --replay");
  ASSERT_EQ(again.exit_code, 0) << again.error;
  EXPECT_EQ(json::parse(again.out)["tuned"]["trace"], result["tuned"]["trace"]);
}

TEST_F(TuneCommand, takes_a_configuration_of_Heron_as_it_is) {
  const std::string file = config(
      "\"out_name\": \"" + at("OPS/GEMM") +
      R"(", "method": "CGA", "max_trials": 4, "runner_number": 3, "runner_repeat": 4, "runner_timeout": 50,
             "build_timeout": 50, "in_dtype": "float32", "out_dtype": "float32",
             "cases": {"G1": ["gemm", [16, 16, 16]]})");
  const Answer answer = tune("-p cpu -c " + file);
  ASSERT_EQ(answer.exit_code, 0) << answer.error;
  EXPECT_NE(answer.out.find("\nPASS\nCase [16, 16, 16], latency "), std::string::npos) << answer.out;
  EXPECT_TRUE(answer.out.ends_with(" ms.\n"));
  EXPECT_TRUE(std::filesystem::exists(at("OPS/GEMM/G1.csv")));
}

TEST_F(TuneCommand, simulates_an_accelerator_and_says_so) {
  const std::string file =
      config(R"("max_trials": 4, "method": "RAND", "in_dtype": "int8", "out_dtype": "int32",
             "cases": {"G1": ["gemm", [32, 32, 32]]})");
  const Answer answer = tune("-p vta -c " + file);
  ASSERT_EQ(answer.exit_code, 0) << answer.error << answer.out;
  EXPECT_NE(answer.out.find("times are simulated"), std::string::npos) << answer.out;
  EXPECT_NE(answer.out.find("\nPASS\nCase [32, 32, 32], latency "), std::string::npos) << answer.out;
  const auto tasks = db::Database::open(at("t.db")).tasks().sound;
  ASSERT_EQ(tasks.size(), 1U);
  EXPECT_EQ(tasks[0].task.protocol, "simulated-cycles-1") << "no measured time is compared with it";
}

TEST_F(TuneCommand, refuses_by_name_what_it_cannot_honour) {
  const std::string cases = R"("cases": {"G1": ["gemm", [16, 16, 16]]})";
  const auto refusal = [&](const std::string& platform, const std::string& keys) {
    const Answer answer = tune("-p " + platform + " -c " + config(keys));
    EXPECT_EQ(answer.exit_code, 2) << keys << answer.out;
    EXPECT_EQ(std::count(answer.error.begin(), answer.error.end(), '\n'), 1) << answer.error;
    return answer.error;
  };
  const std::vector<std::pair<std::string, std::string>> keys = {
      {R"("max_trails": 3)", "there is no key \"max_trails\"; did you mean max_trials?"},
      {R"("max_trials": 0)", "\"max_trials\": 0"},
      {R"("max_trials": "many")", "\"max_trials\": \"many\""},
      {R"("method": "IDEA")", "there are CGA, GA, SA and RAND"},
      {R"("feature_type": "itervar")", "\"feature_type\""},
      {R"("feasible_file_path": "a.txt")", "\"feasible_file_path\""},
      {R"("device_id": 1)", "\"device_id\": 1"},
      {R"("tuned": true)", "\"tuned\": true"},
      {R"("codegen_type": "GPU_TENSOR_CORE")", "\"codegen_type\""},
      {R"("target_name": "cuda")", "\"target_name\": \"cuda\""},
      {R"("loss_type": "l1")", "there are reg and rank"},
      {R"("get_op": "f")", "\"get_op\""},
      {R"("method": "GA", "pop_num": 100)", "belongs to CGA"},
  };
  for (const auto& [given, said] : keys)
    EXPECT_NE(refusal("cpu", fmt::format("{}, {}", given, cases)).find(said), std::string::npos) << given;
  EXPECT_NE(refusal("cpu", "\"max_trials\": 4").find("\"cases\" is missing"), std::string::npos);
  EXPECT_NE(refusal("cpu", R"("cases": {"G1": ["gem", [16]]})").find("no operator called \"gem\""),
            std::string::npos);
  // Where there is no GPU, in the words of any search for one.
  const std::string no_gpu = "tune --target h200: programs are timed on a GPU, and";
  if (tune("gemm 16,16,16 --target h200 --trials 1").error.find(no_gpu) != std::string::npos) {
    const std::string keys_of_gpus = R"(, "target_name": "cuda", "codegen_type": "GPU_TENSOR_CORE")";
    EXPECT_NE(refusal("tensorcore", cases + keys_of_gpus).find(no_gpu), std::string::npos);
  }
  EXPECT_NE(refusal("tensorcore", cases + R"(, "target_name": "llvm")").find("another machine than that"),
            std::string::npos);
  EXPECT_NE(refusal("tpu", cases).find("no such platform"), std::string::npos);
}

TEST_F(TuneCommand, refuses_what_makes_no_sense) {
  const std::vector<std::pair<std::string, std::string>> all = {
      {"", "tune needs a program"},
      {"gemm 16,16,16 --trials 0", "--trials 0"},
      {"gemm 16,16,16 --seconds 0", "--seconds 0"},
      {"gemm 16,16,16 --threads 0", "--threads 0"},
      {"gemm 16,16,16 --method cag", "cga"},
      {"gemm 16,16,16 --blind --resume", "--blind --resume"},
      {"gemm 16,16,16 --schedule none", "--schedule none leaves nothing to search"},
      {"gemm 16,16,16 --schedule examples/gemm_steps.py", "there is nothing to choose"},
      {"gemm m,16,16", "write a number"},
      {"softmax 4,32 --prepacked", "no rule packs its weights on host ahead"},
      {"examples/gemm.tir --prepacked", "--prepacked belongs to operators"},
      {"gemm 16,16,16 --target h100 --threads 2",
       "on h100 a program has the threads that its schedule binds"},
      {"gemm 16,16,16 --replay --db " + at("none.db"), "there is no database"},
      {"-p cpu", "belong together"},
      {"--suite " + folder_.write("bad.json", "{}"), "no list of workloads"},
      {"--suite " + folder_.write("worse.json", R"([{"workload": "gemm 8,8,8", "wait": 3}])"),
       "there is no \"wait\""},
  };
  for (const auto& [arguments, said] : all) {
    const Answer answer = ardea("tune " + arguments, "", "ARDEA_DB=" + at("x.db") + " ");
    EXPECT_EQ(answer.exit_code, 2) << arguments << answer.out;
    EXPECT_NE(answer.error.find(said), std::string::npos) << arguments << ": " << answer.error;
    EXPECT_EQ(std::count(answer.error.begin(), answer.error.end(), '\n'), 1) << answer.error;
  }
}

TEST_F(TuneCommand, has_one_sentence_for_a_full_disk) {
  const Answer answer = tune("gemm 8,8,8 --trials 2 --method random --csv /dev/full");
  EXPECT_EQ(answer.exit_code, 2);
  EXPECT_EQ(answer.error,
            "ardea: --csv /dev/full: it cannot be written: No space left on device; name another file\n");
}

}  // namespace

}  // namespace ardea::cli
