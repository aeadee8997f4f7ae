#include "tests/schedule/campaign/workers.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <sstream>
#include <thread>

#include "tests/schedule/campaign/check_schedule.h"

namespace ardea::schedule {

namespace {

struct Range {
  std::uint64_t first = 1, count = 1000;
  int jobs = 1, job = 0;
  int most_failures = 10;
};

/// Every jobs-th seed of the range: how many failed, with what was counted on the way. `current` is the seed
/// under way.
int run(const Campaign& campaign, const Range& range, StepCounts& counts, volatile std::uint64_t& current) {
  int failures = 0;
  for (std::uint64_t i = static_cast<std::uint64_t>(range.job);
       i < range.count && failures < range.most_failures; i += static_cast<std::uint64_t>(range.jobs)) {
    current = range.first + i;
    const std::string failure = campaign.failure(current, counts);
    if (failure.empty()) continue;
    ++failures;
    std::printf("%s\n", failure.c_str());
    std::fflush(stdout);  // a long campaign may be stopped
  }
  return failures;
}

/// A process of its own, because a fault must not take the others along; its counts come back as text.
struct Worker {
  pid_t process;
  int results;                         ///< to be read to its end
  const volatile std::uint64_t* seed;  ///< under way; in memory that outlives the process
};

/// Seen by this process and by those that it starts.
volatile std::uint64_t* shared_number() {
  void* memory =
      mmap(nullptr, sizeof(std::uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::runtime_error("memory could not be shared");
  return static_cast<std::uint64_t*>(memory);
}

Worker start(const Campaign& campaign, const Range& range) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("a pipe could not be made");
  volatile std::uint64_t* seed = shared_number();
  const pid_t process = fork();
  if (process < 0) throw std::runtime_error("a process could not be started");
  if (process > 0) {
    close(ends[1]);
    return {process, ends[0], seed};
  }
  close(ends[0]);
  StepCounts counts;
  const int failures = run(campaign, range, counts, *seed);
  std::string text = std::to_string(failures) + "\n";
  for (const auto& [name, count] : counts)
    text += name + " " + std::to_string(count.applied) + " " + std::to_string(count.refused) + "\n";
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t written = write(ends[1], text.data() + done, text.size() - done);
    if (written <= 0) _exit(1);
    done += static_cast<std::size_t>(written);
  }
  _exit(0);
}

/// Adds what the worker counted; the number of failures, one more where it did not come to its end.
int collect(const Worker& worker, StepCounts& counts) {
  std::string text;
  char buffer[4096];
  for (ssize_t got = 0; (got = read(worker.results, buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(got));
  close(worker.results);
  int status = 0;
  waitpid(worker.process, &status, 0);
  std::istringstream lines(text);
  int failures = 0;
  lines >> failures;
  std::string name;
  for (StepCount count; lines >> name >> count.applied >> count.refused;) {
    counts[name].applied += count.applied;
    counts[name].refused += count.refused;
  }
  if (status == 0) return failures;
  std::printf("seed %llu: the worker %s %d\n", static_cast<unsigned long long>(*worker.seed),
              WIFSIGNALED(status) ? "was ended by signal" : "exited with",
              WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
  return failures + 1;
}

}  // namespace

int run_campaign(const Campaign& campaign, int argc, char** argv) {
  CLI::App app{campaign.description, campaign.name};
  Range range;
  range.jobs = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  std::int64_t least = 0;
  app.add_option("--count", range.count, "how many programs")->capture_default_str();
  app.add_option("--seed", range.first, "the first seed; the others follow it")->capture_default_str();
  app.add_option("--failures", range.most_failures, "each job stops after so many")->capture_default_str();
  app.add_option("--jobs", range.jobs, "processes that share the seeds")
      ->capture_default_str()
      ->check(CLI::Range(1, 1024));
  app.add_option("--least", least, "everything that is counted must be applied so often")
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  std::vector<Worker> workers;
  for (range.job = 0; range.job < range.jobs; ++range.job) workers.push_back(start(campaign, range));
  StepCounts counts;
  int failures = 0;
  for (const Worker& worker : workers) failures += collect(worker, counts);
  std::printf("%s", count_table(counts).c_str());
  bool enough = true;
  for (const std::string& name : campaign.counted)
    if (counts[name].applied < least) {
      std::printf("%s was applied %lld times, not %lld\n", name.c_str(),
                  static_cast<long long>(counts[name].applied), static_cast<long long>(least));
      enough = false;
    }
  std::printf("%llu programs from seed %llu: %d failed\n", static_cast<unsigned long long>(range.count),
              static_cast<unsigned long long>(range.first), failures);
  return failures == 0 && enough ? 0 : 1;
}

}  // namespace ardea::schedule
