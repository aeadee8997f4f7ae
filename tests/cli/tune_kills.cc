#include <fcntl.h>
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <thread>

#include "ardea/cli/trial_csv.h"
#include "ardea/db/database.h"
#include "ardea/support/random.h"
#include "tests/cli/command.h"

/// `kill -9` of the real command and of its workers, at random moments: what it had told of is in the
/// database, workers go with it, and the next run goes on and cleans up. `make kills` has 100 of them.

namespace ardea::cli {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

int kills() {
  const char* const asked = std::getenv("ARDEA_KILLS");
  return asked == nullptr ? 4 : std::atoi(asked);
}

void sleep_ms(std::int64_t milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

/// The state and the parent of a process; nothing where there is none.
struct Seen {
  char state = 0;
  pid_t parent = 0;
};
std::optional<Seen> seen(pid_t pid) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  if (!std::getline(in, text)) return std::nullopt;
  std::istringstream rest(text.substr(text.rfind(')') + 1));  // the name may have anything in it
  Seen one;
  rest >> one.state >> one.parent;
  return one;
}

std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> all;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const pid_t pid = std::atoi(entry.path().filename().c_str());
    if (pid <= 0) continue;
    if (const auto one = seen(pid); one && one->parent == parent && one->state != 'Z') all.push_back(pid);
  }
  return all;
}

bool is_gone(pid_t pid) {
  const auto one = seen(pid);
  return !one || one->state == 'Z';
}

/// Whether it becomes so; a loaded machine has a minute for it.
template <class Condition>
bool in_time(const Condition& condition) {
  for (int waited = 0; waited < 6000; ++waited) {
    if (condition()) return true;
    sleep_ms(10);
  }
  return false;
}

class KilledTune : public testing::Test {
 protected:
  std::string at(const std::string& name) const { return (folder_.path() / name).string(); }
  std::string environment() const {
    return "ARDEA_NUM_THREADS=1 ARDEA_DB=" + at("none.db") + " TMPDIR=" + at("tmp") + " " +
           with_kept_peaks() + "HOME=" + at("home") + " ";
  }
  void SetUp() override {
    fs::create_directory(at("tmp"));
    // The peaks are measured once, not in each run that is killed.
    static const int first =
        ardea("tune gemm 8,8,8 --trials 1 --without-libraries --db " + at("first.db"), "", environment())
            .exit_code;
    ASSERT_EQ(first, 0);
  }

  /// `ardea tune ARGUMENTS`, as a process of this one.
  pid_t start(const std::string& arguments, const std::string& before = "",
              const std::string& program = ARDEA_COMMAND) const {
    const std::string command = before + "exec env " + environment() + program + " tune " + arguments +
                                " --without-libraries > " + at("out") + " 2> " + at("error");
    const pid_t child = fork();
    if (child == 0) {
      execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
      _exit(127);
    }
    return child;
  }
  static int exit_code_of(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  /// A line without its speed, which only the command knows: what a trial is known by here.
  static std::string key_of(const std::string& line) {
    const std::size_t first = line.find(','), second = line.find(',', first + 1);
    return line.substr(0, first) + line.substr(second);
  }
  /// The whole lines of a run's --csv: what it had told of.
  std::vector<std::string> acknowledged(const std::string& csv) const {
    std::ifstream in(at(csv));
    std::stringstream text;
    text << in.rdbuf();
    std::vector<std::string> keys;
    std::string line;
    while (std::getline(text, line) && !text.eof())
      if (!line.starts_with("trial,")) keys.push_back(key_of(line));
    return keys;
  }
  std::set<std::string> recorded(const std::string& path) const {
    const db::Database database = db::Database::open(path);
    EXPECT_TRUE(database.verify().none()) << path;
    TrialCsv csv(at("recorded.csv"), "--csv");
    for (const db::KeptTask& task : database.tasks().sound)
      for (const db::Trial& trial : database.trials(task.id).sound) csv.add(trial, std::nullopt);
    const std::vector<std::string> keys = acknowledged("recorded.csv");
    return {keys.begin(), keys.end()};
  }

  const Folder folder_;
};

TEST_F(KilledTune, loses_nothing_that_it_had_told_of_and_goes_on) {
  Random random(2027);
  int of_tuners = 0, of_workers = 0;
  std::size_t told = 0;
  for (int i = 0, part = 0; of_tuners + of_workers < kills(); ++part) {
    // A new database now and then: trials of all runs are told to the next.
    const std::string path = at("killed" + std::to_string(part) + ".db");
    std::set<std::string> all;
    for (int run = 0; run < 8 && of_tuners + of_workers < kills(); ++run, ++i) {
      SCOPED_TRACE("run " + std::to_string(i));
      const std::string csv = "trials" + std::to_string(i) + ".csv";
      const pid_t tuner =
          start("gemm 16,16,24 --trials 100000 --resume --seed " + std::to_string(i + 1) +
                (random.chance(0.3) ? " --method random" : "") + " --db " + path + " --csv " + at(csv));
      // At any moment, or after some trials: on a slow machine beginning takes most of the time.
      const auto enough = static_cast<std::size_t>(random.integer(1, 12));
      if (random.chance(0.3))
        sleep_ms(random.integer(0, 2500));
      else
        EXPECT_TRUE(in_time([&] { return acknowledged(csv).size() >= enough || is_gone(tuner); }));
      sleep_ms(random.integer(0, 300));
      if (random.chance(0.5)) {
        const std::vector<pid_t> workers = children_of(tuner);
        if (!workers.empty()) {
          const std::size_t before = acknowledged(csv).size();
          kill(random.pick(workers), SIGKILL);
          ++of_workers;
          EXPECT_TRUE(in_time([&] { return acknowledged(csv).size() > before + 1 || is_gone(tuner); }));
          EXPECT_FALSE(is_gone(tuner)) << "a worker's death ended the tuner: " << folder_.read("error");
          sleep_ms(random.integer(0, 500));
        }
      }
      const std::vector<pid_t> workers = children_of(tuner);
      EXPECT_FALSE(is_gone(tuner)) << folder_.read("error");
      kill(tuner, SIGKILL);
      ++of_tuners;
      EXPECT_EQ(exit_code_of(tuner), 128 + SIGKILL) << folder_.read("error");
      for (const pid_t worker : workers)
        EXPECT_TRUE(in_time([&] { return is_gone(worker); })) << "a worker outlives its tuner";
      for (std::string& line : acknowledged(csv)) all.insert(std::move(line));
      if (!fs::exists(path)) continue;  // killed before it had begun
      const std::set<std::string> there = recorded(path);
      for (const std::string& line : all) EXPECT_TRUE(there.contains(line)) << line << " is lost";
    }
    told += all.size();
    const std::string more = std::to_string(recorded(path).size() + 5);
    const Answer last = ardea(
        fmt::format("tune gemm 16,16,24 --trials {} --resume --json --without-libraries --db {}", more, path),
        "", environment());
    ASSERT_EQ(last.exit_code, 0) << last.error;
    // On a machine that others fill a program may be given up as slow; that is no trace of a kill.
    json failures = json::parse(last.out)["failures"];
    failures.erase("timed out");
    EXPECT_EQ(failures, json::object()) << "a worker's death is no program's fault";
    EXPECT_GE(json::parse(last.out)["trials"], 5);
    EXPECT_TRUE(fs::is_empty(at("tmp"))) << "something that killed runs had left is still there";
  }
  EXPECT_GT(told, 0U);
  fmt::print("{} kills of tuners, {} of workers; {} trials were told of, none lost\n", of_tuners, of_workers,
             told);
}

TEST_F(KilledTune, beside_another_on_one_file_corrupts_nothing) {
  const std::string rest = " --trials 8 --method random --db " + at("shared.db") + " --csv ";
  const pid_t one = start("gemm 16,16,24 --seed 1" + rest + at("a.csv"));
  const pid_t other = start("gemm 16,16,24 --seed 2" + rest + at("b.csv"));
  EXPECT_EQ(exit_code_of(one), 0) << folder_.read("error");
  EXPECT_EQ(exit_code_of(other), 0) << folder_.read("error");
  const std::set<std::string> there = recorded(at("shared.db"));
  for (const char* csv : {"a.csv", "b.csv"}) {
    EXPECT_GE(acknowledged(csv).size(), 8U);
    for (const std::string& line : acknowledged(csv)) EXPECT_TRUE(there.contains(line)) << line;
  }
}

TEST_F(KilledTune, goes_on_with_workers_of_its_own_where_its_file_is_replaced) {
  const std::string command = ARDEA_COMMAND;
  const std::size_t name = command.find('\'') + 1;
  if (name > 2) GTEST_SKIP() << "an emulator starts programs by their names";
  const std::string program = at("ardea");
  fs::copy_file(command.substr(name, command.rfind('\'') - name), program);
  const pid_t tuner =
      start("gemm 16,16,24 --trials 100000 --csv " + at("a.csv") + " --db " + at("a.db"), "", program);
  ASSERT_TRUE(in_time([&] { return !acknowledged("a.csv").empty() || is_gone(tuner); }));
  fs::remove(program);
  std::ofstream(program) << "no program\n";
  for (const pid_t worker : children_of(tuner)) kill(worker, SIGKILL);
  const std::size_t before = acknowledged("a.csv").size();
  EXPECT_TRUE(in_time([&] { return acknowledged("a.csv").size() > before + 2 || is_gone(tuner); }));
  EXPECT_FALSE(is_gone(tuner)) << folder_.read("error");
  kill(tuner, SIGKILL);
  exit_code_of(tuner);
}

TEST_F(KilledTune, of_a_disk_that_is_full_is_one_sentence_and_nothing_told_of_is_lost) {
  // No file may grow beyond this many half KiB: the database is the first that would.
  bool was_full = false;
  for (const int blocks : {160, 640}) {
    SCOPED_TRACE(blocks);
    const std::string name = "full" + std::to_string(blocks);
    const pid_t tuner = start(
        "gemm 16,16,24 --trials 400 --method random --db " + at(name + ".db") + " --csv " + at(name + ".csv"),
        fmt::format("trap '' XFSZ; ulimit -f {}; ", blocks));
    const int code = exit_code_of(tuner);
    const std::string said = folder_.read("error");
    EXPECT_EQ(code, 2) << said;
    const std::string last =
        said.substr(said.rfind("ardea: ") == std::string::npos ? 0 : said.rfind("ardea: "));
    EXPECT_TRUE(last.starts_with("ardea: ")) << said;
    EXPECT_EQ(std::count(last.begin(), last.end(), '\n'), 1) << said;
    if (!fs::exists(at(name + ".db"))) continue;
    const std::vector<std::string> told = acknowledged(name + ".csv");
    was_full = was_full || (!told.empty() && last.find(name + ".db") != std::string::npos);
    const std::set<std::string> there = recorded(at(name + ".db"));
    for (const std::string& line : told) EXPECT_TRUE(there.contains(line)) << line << " is lost";
  }
  EXPECT_TRUE(was_full) << "the database was never the one that did not fit";
}

TEST_F(KilledTune, goes_on_from_the_sound_rows_of_a_damaged_database) {
  const std::string path = at("damaged.db");
  const std::string rest = " --without-libraries --method random --json --db " + path;
  ASSERT_EQ(ardea("tune gemm 16,16,24 --trials 12" + rest, "", environment()).exit_code, 0);
  std::string bytes = read_text_file(path);
  // A knob of some trial: SQLite's own check does not see it.
  const std::size_t knobs = bytes.find("\"knobs\":{\"", bytes.size() / 2);
  ASSERT_NE(knobs, std::string::npos);
  const std::size_t digit = bytes.find_first_of("0123456789", bytes.find(':', knobs + 9));
  bytes[digit] = static_cast<char>(bytes[digit] ^ 1);
  std::ofstream(path, std::ios::binary) << bytes;
  const Answer verified = ardea("db verify --db " + path, "", environment());
  EXPECT_NE(verified.exit_code, 0) << verified.out;
  const Answer more = ardea("tune gemm 16,16,24 --trials 14 --resume" + rest, "", environment());
  ASSERT_EQ(more.exit_code, 0) << more.error;
  EXPECT_GE(json::parse(more.out)["earlier"], 11);
  EXPECT_GE(json::parse(more.out)["trials"], 2);

  // Cut off: what can be read is copied to another.
  fs::resize_file(path, fs::file_size(path) * 3 / 4);
  EXPECT_NE(ardea("db verify --db " + path, "", environment()).exit_code, 0);
  const Answer merged = ardea("db merge " + path + " --db " + at("whole.db"), "", environment());
  EXPECT_NE(merged.exit_code, 127) << merged.error;
  EXPECT_GT(recorded(at("whole.db")).size(), 0U);
  ASSERT_EQ(ardea("tune gemm 16,16,24 --trials 16 --resume --without-libraries --method random --db " +
                      at("whole.db"),
                  "", environment())
                .exit_code,
            0);
}

}  // namespace

}  // namespace ardea::cli
