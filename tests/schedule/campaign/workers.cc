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
  std::uint64_t first = 1, count = 1000, step = 1;
  int jobs = 1, job = 0;
  int most_failures = 10;
  CampaignOptions options = {};
};

/// Every jobs-th seed of the range: how many failed, with what was counted on the way. `current` is the seed
/// under way.
int run(const Campaign& campaign, const Range& range, StepCounts& counts, volatile std::uint64_t& current) {
  int failures = 0;
  for (std::uint64_t i = static_cast<std::uint64_t>(range.job);
       i < range.count && failures < range.most_failures; i += static_cast<std::uint64_t>(range.jobs)) {
    current = range.first + i * range.step;
    const std::string failure = campaign.failure(current, range.options, counts);
    if (failure.empty()) continue;
    ++failures;
    std::printf("%s\n", failure.c_str());
    std::fflush(stdout);  // a long campaign may be stopped
  }
  return failures;
}

std::string as_text(const StepCounts& counts) {
  std::ostringstream text;
  for (const auto& [name, count] : counts) {
    text << name << ' ' << count.applied << ' ' << count.refused << ' ' << count.on_dependent << ' '
         << count.refusals.size() << '\n';
    for (const auto& [code, refusals] : count.refusals)
      text << code << ' ' << refusals.refused << ' ' << refusals.judged << ' ' << refusals.legal << '\n';
  }
  return text.str();
}

void add_from_text(std::istream& text, StepCounts& counts) {
  std::string name, code;
  std::size_t codes = 0;
  for (StepCount read; text >> name >> read.applied >> read.refused >> read.on_dependent >> codes;) {
    StepCount& count = counts[name];
    count.applied += read.applied;
    count.refused += read.refused;
    count.on_dependent += read.on_dependent;
    for (RefusalCount refusals;
         codes > 0 && text >> code >> refusals.refused >> refusals.judged >> refusals.legal; --codes) {
      count.refusals[code].refused += refusals.refused;
      count.refusals[code].judged += refusals.judged;
      count.refusals[code].legal += refusals.legal;
    }
  }
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
  text += as_text(counts);
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
  add_from_text(lines, counts);
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
  std::int64_t least = 0, least_dependent = 0;
  app.add_option("--count", range.count, "how many programs")->capture_default_str();
  app.add_option("--seed", range.first, "the first seed; the others follow it")->capture_default_str();
  app.add_option("--step", range.step, "from one seed to the next")->capture_default_str();
  app.add_flag("--show", range.options.show, "print every program with its steps");
  app.add_option("--failures", range.most_failures, "each job stops after so many")->capture_default_str();
  app.add_option("--jobs", range.jobs, "processes that share the seeds")
      ->capture_default_str()
      ->check(CLI::Range(1, 1024));
  app.add_option("--least", least, "everything that is counted must be applied so often")
      ->capture_default_str();
  if (!campaign.counted_on_dependent.empty())
    app.add_option("--least-dependent", least_dependent,
                   "steps that are judged by their accesses must be applied so often on loops with dependent "
                   "bounds or indices")
        ->capture_default_str();
  app.add_option("--compiled", range.options.compiled,
                 "the share of programs that are also compiled and run; of those with lanes more")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1.0));
  CLI11_PARSE(app, argc, argv);
  std::vector<Worker> workers;
  for (range.job = 0; range.job < range.jobs; ++range.job) workers.push_back(start(campaign, range));
  StepCounts counts;
  int failures = 0;
  for (const Worker& worker : workers) failures += collect(worker, counts);
  std::printf("%s%s", count_table(counts).c_str(), refusal_table(counts).c_str());
  bool enough = true;
  for (const std::string& name : campaign.counted)
    if (counts[name].applied < least) {
      std::printf("%s was applied %lld times, not %lld\n", name.c_str(),
                  static_cast<long long>(counts[name].applied), static_cast<long long>(least));
      enough = false;
    }
  for (const std::string& name : campaign.counted_on_dependent)
    if (counts[name].on_dependent < least_dependent) {
      std::printf("%s was applied %lld times to loops with dependent bounds or indices, not %lld\n",
                  name.c_str(), static_cast<long long>(counts[name].on_dependent),
                  static_cast<long long>(least_dependent));
      enough = false;
    }
  std::printf("%llu programs from seed %llu: %d failed\n", static_cast<unsigned long long>(range.count),
              static_cast<unsigned long long>(range.first), failures);
  return failures == 0 && enough ? 0 : 1;
}

}  // namespace ardea::schedule
