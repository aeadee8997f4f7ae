#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <sstream>

#include "ardea/support/random.h"
#include "ardea/support/temporary_folder.h"
#include "tests/tune/simulated.h"

/// `kill -9` of a tuner: what it had told of is in the database, and the next one goes on from there.

namespace ardea::tune {

namespace {

int kills() {
  const char* const asked = std::getenv("ARDEA_KILLS");  // `make kills`: 100
  return asked == nullptr ? 10 : std::atoi(asked);
}

/// Trials take a moment, so that a kill may come at any place.
class Slow : public Simulated {
 public:
  std::vector<measure::TrialReport> measure(const std::vector<Candidate>& candidates,
                                            const std::function<bool()>& stop, const Told& told) override {
    return Simulated::measure(candidates, stop, [&](std::size_t i, const measure::TrialReport& report) {
      usleep(200);
      told(i, report);
    });
  }
};

/// A run that goes on from what there is, and says each trial once it is recorded.
void tune_on(const std::string& path, const std::string& run, std::int64_t trials,
             const std::function<void(const db::Trial&)>& recorded) {
  db::Database database = db::Database::create(path);
  const std::int64_t task = database.add(simulated_task());
  Slow measurer;
  const search::Method method = chance();
  Tuner tuner(small_space(), measurer,
              {.trials = trials,
               .method = &method,
               .earlier = database.trials(task).sound,
               .batch = 4,
               .run = run,
               .recorded = recorded},
              nullptr, Tuner::Kept{&database, task});
  while (tuner.step()) {}
}

/// A process that tunes until it is killed; what it had acknowledged.
std::vector<std::string> acknowledged_before_a_kill(const std::string& path, const std::string& run,
                                                    Random& random) {
  int ends[2] = {};
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    tune_on(path, run, 100'000, [&](const db::Trial& trial) {
      const std::string line = fmt::format("{} {}\n", trial.run, trial.number);
      if (write(ends[1], line.data(), line.size()) < 0) _exit(1);
    });
    _exit(0);
  }
  close(ends[1]);
  const std::int64_t enough = random.integer(0, 12);
  std::string said;
  char buffer[256];
  const auto lines = [&] { return std::count(said.begin(), said.end(), '\n'); };
  while (lines() < enough) {
    const ssize_t got = read(ends[0], buffer, sizeof buffer);
    if (got <= 0) break;
    said.append(buffer, static_cast<std::size_t>(got));
  }
  usleep(static_cast<useconds_t>(random.integer(0, 1500)));
  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status)) << "it ended before it was killed";
  for (ssize_t got = 0; (got = read(ends[0], buffer, sizeof buffer)) > 0;)
    said.append(buffer, static_cast<std::size_t>(got));
  close(ends[0]);
  std::vector<std::string> all;
  std::istringstream in(said);
  for (std::string line; std::getline(in, line);) all.push_back(line);
  return all;
}

TEST(Kills, lose_nothing_that_was_acknowledged) {
  small_space();  // made once, before processes part
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "killed.db").string();
  Random random(17);
  std::set<std::string> acknowledged;
  for (int i = 0; i < kills(); ++i) {
    SCOPED_TRACE(i);
    for (const std::string& line : acknowledged_before_a_kill(path, fmt::format("run{}", i), random))
      acknowledged.insert(line);
    if (!std::filesystem::exists(path)) continue;  // killed before it had begun
    const db::Database database = db::Database::create(path);
    ASSERT_TRUE(database.verify().none());
    const auto task = database.find(simulated_task());
    std::set<std::string> there;
    if (task)
      for (const db::Trial& trial : database.trials(*task).sound)
        there.insert(fmt::format("{} {}", trial.run, trial.number));
    for (const std::string& line : acknowledged) EXPECT_TRUE(there.contains(line)) << line << " is lost";
  }
  EXPECT_GT(acknowledged.size(), 10U);

  const auto count = static_cast<std::int64_t>(db::Database::open(path).trials(1).sound.size());
  tune_on(path, "last", count + 10, {});
  const db::Database database = db::Database::open(path);
  std::set<std::string> traces;
  for (const db::Trial& trial : database.trials(1).sound) traces.insert(trial.trace);
  EXPECT_EQ(static_cast<std::int64_t>(traces.size()), count + 10) << "no point was measured twice";
}

TEST(TwoTuners, share_a_database) {
  small_space();
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "shared.db").string();
  std::vector<pid_t> children;
  for (int i = 0; i < 2; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      try {
        tune_on(path, fmt::format("run{}", i), 40, {});
      } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
        _exit(1);
      }
      _exit(0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  const db::Database database = db::Database::open(path);
  EXPECT_TRUE(database.verify().none());
  std::map<std::string, std::int64_t> of_run;
  for (const db::Trial& trial : database.trials(1).sound) ++of_run[trial.run];
  // One of them may have found the other's trials there when it began.
  EXPECT_GE(of_run["run0"] + of_run["run1"], 40);
}

}  // namespace

}  // namespace ardea::tune
