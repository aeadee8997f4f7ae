#include "ardea/measure/trials.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "ardea/arith/load.h"
#include "ardea/schedule/schedule.h"
#include "ardea/support/error.h"
#include "ardea/support/temporary_folder.h"

namespace ardea::measure {
namespace {

const char* const product = R"(
@T.prim_func
def main(A: T.Buffer((16, 24), "float32"), B: T.Buffer((24, 16), "float32"), C: T.Buffer((16, 16), "float32")):
    for i, j, k in T.grid(16, 16, 24):
        with T.block("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                C[vi, vj] = T.float32(0)
            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
)";

const char* const as_written = "[]";
const char* const tiled = R"(
b = sch.get_block("C")
i, j, k = sch.get_loops(b)
jo, ji = sch.split(j, [None, 8])
sch.reorder(i, jo, k, ji)
sch.vectorize(ji)
)";

TrialTask task_of(const char* text) {
  return {.program = arith::load_program(text, "test").functions[0], .target = target::host()};
}

TrialOptions options() {
  return {.memory_limit_bytes = std::int64_t{1} << 30,
          .file_limit_bytes = std::int64_t{4} << 20,
          .build_workers = 1,
          .program = ARDEA_TEST_WORKER,
          .timing_s = 0.01};
}

/// A variable of the environment, while it lives.
class Variable {
 public:
  Variable(std::string name, const std::string& value) : name_(std::move(name)) {
    setenv(name_.c_str(), value.c_str(), 1);
  }
  ~Variable() { unsetenv(name_.c_str()); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  std::string name_;
};

/// While it lives, workers of one kind fail.
class Faulty : Variable {
 public:
  explicit Faulty(const std::string& kind_and_fault) : Variable("ARDEA_TEST_WORKER", kind_and_fault) {}
};

/// The trials of the product.
class ProductTrials : public Trials {
 public:
  explicit ProductTrials(TrialOptions chosen = options()) : Trials(task_of(product), std::move(chosen)) {}
};

TrialOptions limited(double TrialOptions::* limit, double seconds) {
  TrialOptions all = options();
  all.*limit = seconds;
  return all;
}

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void expect_timed(const TrialReport& report) {
  EXPECT_EQ(report.outcome, TrialOutcome::timed) << report.message;
  ASSERT_TRUE(report.time);
  EXPECT_GT(report.time->low_s, 0);
  EXPECT_LE(report.time->low_s, report.time->median_s);
  EXPECT_LE(report.time->median_s, report.time->high_s);
}

void expect_failed(const TrialReport& report, TrialOutcome outcome, const std::string& words) {
  EXPECT_EQ(to_string(report.outcome), to_string(outcome)) << report.message;
  EXPECT_NE(report.message.find(words), std::string::npos) << report.message;
  EXPECT_FALSE(report.time);
}

TEST(Trials, are_told_in_the_order_of_the_traces) {
  ProductTrials trials;
  std::vector<std::size_t> told;
  const auto reports = trials.measure({as_written, tiled, "fault:nothing", tiled},
                                      [&](std::size_t i, const TrialReport&) { told.push_back(i); });
  EXPECT_EQ(told, (std::vector<std::size_t>{0, 1, 2, 3}));
  ASSERT_EQ(reports.size(), 4U);
  expect_timed(reports[0]);
  expect_timed(reports[1]);
  expect_failed(reports[2], TrialOutcome::wrong_answer, "C is wrong in 256 of 256 elements");
  expect_timed(reports[3]);
}

TEST(Trials, take_traces_in_json) {
  const TrialTask task = task_of(product);
  schedule::Schedule schedule(task.program);
  schedule.replay(schedule::parse_steps(tiled, "tiled"));
  Trials trials(task, options());
  const auto reports = trials.measure({schedule::to_json(schedule.trace()).dump()});
  ASSERT_EQ(reports.size(), 1U);
  expect_timed(reports[0]);
}

TEST(Trials, survive_kernels_that_fail_each_recorded_as_what_it_was) {
  ProductTrials trials;
  const auto reports = trials.measure(
      {"fault:segfault", tiled, "fault:difference", "fault:fail", "fault:nothing", "fault:segfault", tiled});
  ASSERT_EQ(reports.size(), 7U);
  expect_failed(reports[0], TrialOutcome::crashed, "was ended by signal 11");
  expect_timed(reports[1]);
  expect_failed(reports[2], TrialOutcome::wrong_answer, "C is wrong in");
  expect_failed(reports[3], TrialOutcome::launch_failed, "this kernel has no time");
  expect_failed(reports[4], TrialOutcome::wrong_answer, "C is wrong in 256 of 256 elements");
  expect_failed(reports[5], TrialOutcome::crashed, "was ended by signal 11");
  expect_timed(reports[6]);
}

TEST(Trials, survive_a_kernel_that_never_ends) {
  ProductTrials trials(limited(&TrialOptions::run_limit_s, 2));
  std::vector<TrialReport> reports = trials.measure({tiled});
  const double seconds = seconds_of([&] { reports = trials.measure({"fault:loop"}); });
  expect_failed(reports.at(0), TrialOutcome::timed_out, "running it did not end within 2 s");
  EXPECT_GE(seconds, 2);
  EXPECT_LT(seconds, 2 + 5);
  expect_timed(trials.measure({tiled}).at(0));
}

TEST(Trials, do_not_wait_long_for_a_kernel_that_is_hopeless_beside_the_incumbent) {
  ProductTrials trials(limited(&TrialOptions::run_limit_s, 1000));
  expect_timed(trials.measure({tiled}).at(0));
  expect_failed(trials.measure({"fault:loop"}).at(0), TrialOutcome::timed_out,
                "running it did not end within ");
}

TEST(Trials, survive_a_kernel_that_takes_all_memory) {
  ProductTrials trials;
  const auto reports = trials.measure({"fault:allocate", tiled});
  // Refused by the system, or killed where the address space is not limited.
  const bool refused = reports.at(0).message == "std::bad_alloc";
  expect_failed(reports.at(0), TrialOutcome::launch_failed,
                refused ? "" : "running it took more than 1024 MiB of memory");
  expect_timed(reports.at(1));
}

TEST(Trials, survive_schedules_that_cannot_be_built) {
  ProductTrials trials(limited(&TrialOptions::build_limit_s, 10));
  const auto reports = trials.measure(
      {"sch.get_block(\"D\")", "[1]", "build:segfault", "build:allocate", "build:file", tiled});
  ASSERT_EQ(reports.size(), 6U);
  expect_failed(reports[0], TrialOutcome::compile_failed, "D");
  expect_failed(reports[1], TrialOutcome::compile_failed, "trace: step 1");
  expect_failed(reports[2], TrialOutcome::compile_failed, "was ended by signal 11");
  expect_failed(reports[3], TrialOutcome::compile_failed, "memory");
  expect_failed(reports[4], TrialOutcome::compile_failed, "File too large");
  expect_timed(reports[5]);
}

TEST(Trials, survive_a_build_that_never_ends) {
  ProductTrials trials(limited(&TrialOptions::build_limit_s, 2));
  std::vector<TrialReport> reports;
  const double seconds = seconds_of([&] { reports = trials.measure({"build:loop"}); });
  expect_failed(reports.at(0), TrialOutcome::timed_out, "building it did not end within 2 s");
  EXPECT_LT(seconds, 2 + 5);
}

TEST(Trials, survive_workers_that_never_answer_or_answer_rubbish) {
  for (const auto& [fault, outcome, words] : std::vector<std::tuple<std::string, TrialOutcome, std::string>>{
           {"run:silent", TrialOutcome::timed_out, "did not end within 2 s"},
           {"run:closes", TrialOutcome::timed_out, "did not end within 2 s"},
           {"run:rubbish", TrialOutcome::crashed, "wrote what is no answer"},
           {"run:other-id", TrialOutcome::crashed, "wrote what is no answer"},
           {"run:no-time", TrialOutcome::crashed, "wrote what is no answer"},
           {"run:endless", TrialOutcome::crashed, "wrote without an end"},
           {"run:leaves", TrialOutcome::crashed, "exited with status 3"},
           {"build:rubbish", TrialOutcome::compile_failed, "wrote what is no answer"},
           {"build:leaves", TrialOutcome::compile_failed, "exited with status 3"}}) {
    SCOPED_TRACE(fault);
    const Faulty faulty(fault);
    ProductTrials trials(outcome == TrialOutcome::timed_out ? limited(&TrialOptions::run_limit_s, 2)
                                                            : options());
    expect_failed(trials.measure({tiled}).at(0), outcome, words);
  }
}

TEST(Trials, try_once_more_what_died_of_a_signal_from_outside) {
  const TemporaryFolder folder;
  for (const std::string kind : {"run", "build", "reference"}) {
    SCOPED_TRACE(kind);
    const std::filesystem::path once = folder.path() / "once";
    std::ofstream(once) << "once";
    const Faulty faulty(kind + ":killed");
    const Variable at_most_once("ARDEA_TEST_WORKER_ONCE", once.string());
    ProductTrials trials;
    expect_timed(trials.measure({tiled}).at(0));
    EXPECT_FALSE(std::filesystem::exists(once));
  }
  const Faulty faulty("run:killed");
  ProductTrials trials;
  expect_failed(trials.measure({tiled}).at(0), TrialOutcome::crashed, "was ended by signal 9");
}

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Trials, repeat_rounds_of_a_slowed_machine_twice_and_then_time_the_incumbent_anew) {
  const TemporaryFolder folder;
  const Faulty faulty("run:script");
  const Variable requests("ARDEA_TEST_REQUESTS", (folder.path() / "requests").string());
  const Variable canaries("ARDEA_TEST_CANARIES", "1 1 2 2 2 2 2 2");
  ProductTrials trials;
  const auto reports = trials.measure({tiled, tiled, tiled, tiled});
  ASSERT_EQ(reports.size(), 4U);
  EXPECT_EQ(reports[1].time->median_s, 3);
  EXPECT_EQ(reports[2].time->median_s, 6);  // of the third time
  // By the numbers of the candidates, after the reference's: the third is asked for three times, then the
  // first, the incumbent, by itself, and the fourth against what that took now.
  EXPECT_EQ(text_of(folder.path() / "requests"),
            "2 null\n3 [2.0,2.0,2.0]\n4 [2.0,2.0,2.0]\n4 [2.0,2.0,2.0]\n4 [2.0,2.0,2.0]\n"
            "2 null\n5 [7.0,7.0,7.0]\n");
}

/// Of a batch of twenty: how often something was built while something was timed, and how often on a
/// processor that timed.
struct Overlaps {
  int anywhere = 0, on_the_same_processor = 0;
};

Overlaps overlaps_of(const TrialTask& task) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "log";
  TrialOptions all = options();
  all.build_workers = 0;
  {
    const Variable log("ARDEA_TEST_LOG", file.string());
    Trials trials(task, all);
    const auto reports = trials.measure(std::vector<std::string>(20, as_written));
    EXPECT_EQ(reports.size(), 20U);
    for (const TrialReport& report : reports) expect_timed(report);
  }
  Overlaps overlaps;
  std::multiset<std::string> running, building;
  std::istringstream log(text_of(file));
  for (std::string what, kind, processors; log >> what >> kind && std::getline(log, processors);) {
    if (kind == "reference") continue;
    std::multiset<std::string>& mine = kind == "run" ? running : building;
    const std::multiset<std::string>& others = kind == "run" ? building : running;
    if (what == "end") {
      mine.erase(mine.find(processors));
      continue;
    }
    mine.insert(processors);
    overlaps.anywhere += others.empty() ? 0 : 1;
    overlaps.on_the_same_processor += others.contains(processors) ? 1 : 0;
  }
  return overlaps;
}

TEST(Trials, build_and_time_in_turns_where_all_cores_or_memory_are_timed) {
  TrialTask on_all_cores = task_of(product);
  on_all_cores.threads = target::host().cores;
  EXPECT_EQ(overlaps_of(on_all_cores).anywhere, 0);
  TrialTask in_memory = task_of(R"(
@T.prim_func
def main(A: T.Buffer((65536,), "float32"), B: T.Buffer((65536,), "float32")):
    for i in T.serial(65536):
        with T.block("B"):
            vi = T.axis.spatial(65536, i)
            B[vi] = A[vi] + T.float32(1)
)");
  in_memory.target.caches = {{.level = 1, .bytes = 32 << 10, .line_bytes = 64}};
  EXPECT_EQ(overlaps_of(in_memory).anywhere, 0);
}

TEST(Trials, build_nothing_on_a_processor_that_times) {
  if (target::host().cores < 2) GTEST_SKIP() << "there is one core only";
  const Overlaps overlaps = overlaps_of(task_of(product));
  EXPECT_EQ(overlaps.on_the_same_processor, 0);
}

std::string error_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Trials, say_what_stands_against_the_task_itself) {
  TrialOptions without = options();
  without.program = "/nowhere/ardea";
  EXPECT_EQ(error_of([&] { ProductTrials(without).measure({tiled}); }),
            "/nowhere/ardea worker reference: it cannot be started: No such file or directory");
  {
    const Faulty faulty("run:exits");
    EXPECT_NE(error_of([&] {
                ProductTrials().measure({tiled});
              }).find("worker run: it exited with status 5 before it was ready, 3 times in a row"),
              std::string::npos);
  }
  const Faulty faulty("reference:leaves");
  EXPECT_NE(
      error_of([&] { ProductTrials().measure({tiled}); }).find("main: its reference cannot be computed: "),
      std::string::npos);
}

/// Whether the process runs: neither gone nor waiting for its parent to hear of its end.
bool is_alive(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string number, name, state;
  return static_cast<bool>(file >> number >> name >> state) && state != "Z";
}

TEST(Trials, leave_no_process_behind_when_the_tuner_is_killed) {
  const TemporaryFolder folder;
  const std::filesystem::path said = folder.path() / "pid";
  const Variable temporary("TMPDIR", folder.path().string());
  const pid_t tuner = fork();
  if (tuner == 0) {
    setenv("ARDEA_TEST_WORKER_PID", said.c_str(), 1);
    ProductTrials trials;
    trials.measure({"fault:loop"});
    _exit(0);
  }
  for (int i = 0; i < 600 && !std::filesystem::exists(said); ++i) usleep(100000);
  pid_t worker = 0;
  std::ifstream(said) >> worker;
  ASSERT_GT(worker, 0);
  EXPECT_TRUE(is_alive(worker));
  kill(tuner, SIGKILL);
  EXPECT_EQ(waitpid(tuner, nullptr, 0), tuner);
  for (int i = 0; i < 600 && is_alive(worker); ++i) usleep(100000);
  EXPECT_FALSE(is_alive(worker));
}

TEST(Trials, end_early_when_asked_to) {
  bool stop = false;
  TrialOptions stopping = options();
  stopping.stop = [&] { return stop; };
  ProductTrials trials(stopping);
  const auto reports = trials.measure({tiled, as_written, tiled, tiled},
                                      [&](std::size_t i, const TrialReport&) { stop = i == 1; });
  EXPECT_EQ(reports.size(), 2U);
  stop = false;
  EXPECT_EQ(trials.measure({tiled}).size(), 1U);
}

TEST(Trials, change_arguments_in_place_from_the_same_values_at_each_call) {
  // Called again on its own answers it would soon answer infinity: the check and every sample begin anew.
  Trials trials(task_of(R"(
@T.prim_func
def main(A: T.Buffer((64,), "float32")):
    for i in T.serial(64):
        with T.block("A"):
            vi = T.axis.spatial(64, i)
            A[vi] = A[vi] * T.float32(1000)
)"),
                options());
  const auto reports = trials.measure({as_written, as_written});
  ASSERT_EQ(reports.size(), 2U);
  for (const TrialReport& report : reports) expect_timed(report);
}

TEST(Trials, duel_all_that_can_be_built) {
  ProductTrials trials;
  const auto duelists = trials.duel({tiled, "[1]", as_written}, 0.05);
  ASSERT_EQ(duelists.size(), 3U);
  expect_timed(duelists[0].report);
  expect_failed(duelists[1].report, TrialOutcome::compile_failed, "trace: step 1");
  expect_timed(duelists[2].report);
  EXPECT_EQ(duelists[0].ratio.median, 1);
  EXPECT_GT(duelists[2].ratio.low, 0);
  EXPECT_LE(duelists[2].ratio.low, duelists[2].ratio.median);
}

TEST(Trials, name_the_duelist_that_fails) {
  ProductTrials trials;
  const auto duelists = trials.duel({tiled, "fault:segfault", as_written, "fault:difference"}, 0.05);
  ASSERT_EQ(duelists.size(), 4U);
  expect_timed(duelists[0].report);
  expect_failed(duelists[1].report, TrialOutcome::crashed, "was ended by signal 11");
  expect_timed(duelists[2].report);
  expect_failed(duelists[3].report, TrialOutcome::wrong_answer, "C is wrong in");
}

}  // namespace
}  // namespace ardea::measure
