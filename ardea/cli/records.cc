#include "ardea/cli/records.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "ardea/cli/output.h"
#include "ardea/cli/promises.h"
#include "ardea/runtime/thread_pool.h"
#include "ardea/support/error.h"
#include "ardea/support/text.h"
#include "ardea/tune/task.h"

namespace ardea::cli {

namespace {

using Records = ProgramOptions::Records;

bool insists(const ProgramOptions& options) {
  return options.records == Records::only || options.schedule == "best";
}

/// As `ardea tune` takes it.
std::string tunable(const ProgramOptions& options, const target::Target& target) {
  const std::string text = command_of(options);
  return target.kind == target::Kind::cuda ? text + " --target " + target.name : text;
}

/// Whose answer is wanted; nothing where it need not be there and is not.
std::optional<db::Database> opened(const ProgramOptions& options) {
  if (!options.db.empty()) {
    require(std::filesystem::exists(options.db),
            "--db {}: there is no such database; `ardea tune {} --db {}` "
            "makes one",
            options.db, command_of(options), options.db);
    return db::Database::open(options.db);
  }
  // Who did not name it must not be kept from working by what is wrong with it.
  try {
    const std::filesystem::path path = db::default_path();
    if (std::filesystem::exists(path)) return db::Database::open(path);
    require(!insists(options),
            "--best: nothing was tuned yet, there is no database {}; `ardea tune {}` makes it", path.string(),
            command_of(options));
  } catch (const Error& error) {
    if (insists(options)) throw;
    write_note(fmt::format("records of tuning are not used: {}", error.what()));
  }
  return std::nullopt;
}

struct Found {
  tune::Lookup lookup;
  int threads = 1;        ///< of the record, or those that were asked for
  Function written = {};  ///< what the record's steps are of
};

/// The record for so many threads. Where there is none and it `may_differ` in them: the fastest for a number
/// that the machine has cores for.
Found found_record_of(const Function& written, const db::Database& database, const Program& program,
                      const ProgramOptions& options, const target::Target& target, int threads,
                      bool may_differ) {
  const auto looked_up = [&](int number) {
    return tune::load_best(database,
                           tune::task_of(written, program.title, target, number, options.prepacked));
  };
  Found found{looked_up(threads), threads, written};
  if (found.lookup.best || !may_differ) return found;
  for (const int number : std::set<int>(found.lookup.threads)) {
    if (number > std::max(threads, target.cores)) continue;
    tune::Lookup other = looked_up(number);
    const auto seconds = [](const tune::Lookup& lookup) { return lookup.best->trial.time->median_s; };
    if (other.best && (!found.lookup.best || seconds(other) < seconds(found.lookup)))
      found = {std::move(other), number, written};
  }
  return found;
}

/// What was tuned with the promises that are made here serves better than what was tuned without any.
Found found_record(const db::Database& database, const Program& program, const ProgramOptions& options,
                   const target::Target& target, int threads, bool may_differ) {
  const auto of = [&](const Function& written) {
    return found_record_of(written, database, program, options, target, threads, may_differ);
  };
  const std::vector<std::string> promises = known_promises(program.module, options.align);
  if (!promises.empty())
    if (Found found = of(with_promises(program.module, promises).functions[0]); found.lookup.best)
      return found;
  return of(program.module.functions[0]);
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

int threads_for(const ProgramOptions& options, const target::Target& target) {
  if (options.threads > 0) return options.threads;
  return target.name == "host" ? runtime::choose_thread_count(std::getenv("ARDEA_NUM_THREADS"))
                               : target.cores;
}

int threads_to_tune(std::optional<int> asked, const target::Target& target) {
  if (target.kind == target::Kind::cuda) {
    require(!asked, "--threads {}: on {} a program has the threads that its schedule binds; leave it out",
            asked.value_or(0), target.name);
    return target.cores;
  }
  if (asked) return *asked;
  const int here = runtime::choose_thread_count(std::getenv("ARDEA_NUM_THREADS"));
  return target.name == "host" ? here : std::min(here, target.cores);
}

std::optional<Recorded> recorded_schedule(const Program& program, const ProgramOptions& options,
                                          const target::Target& target) {
  const bool is_open = options.schedule.empty() && options.records == Records::where_there;
  if (!insists(options) && !is_open) return std::nullopt;
  const bool may_have = program.module.functions.size() == 1;
  require(may_have || !insists(options), "--best: {} has {} functions, and programs of one are tuned",
          program.title, program.module.functions.size());
  if (!may_have) return std::nullopt;
  const std::optional<db::Database> database = opened(options);
  if (!database) return std::nullopt;
  const int threads = threads_for(options, target);
  const auto threads_text = [&](int number) {
    return tune::threads_text(number, target.kind == target::Kind::cuda);
  };
  const auto [found, made_for, written] =
      found_record(*database, program, options, target, threads, insists(options) && options.threads == 0);
  if (!found.best) {
    const std::string others =
        found.others.empty() ? "" : "; there are records " + join(found.others, "; and ");
    require(!insists(options), "--best: {} has no record of {} on {} for {}{}; `ardea tune {}{}` makes one",
            database->path(), program.title, target.name, threads_text(threads), others,
            tunable(options, target), options.threads == 0 ? "" : fmt::format(" --threads {}", threads));
    const bool is_best = !others.empty() && options.threads == 0 &&
                         found_record(*database, program, options, target, threads, true).lookup.best;
    if (!others.empty())
      write_note(fmt::format("no record of {} for {} is used{}{}", program.title, threads_text(threads),
                             others, is_best ? "; --best takes what there is" : ""));
    return std::nullopt;
  }
  try {
    Recorded recorded{tune::apply_best(written, *found.best), *found.best};
    const std::string instead =
        made_for == threads ? ""
                            : fmt::format("; there is none for {}, which `ardea tune {} --threads {}` makes",
                                          threads_text(threads), command_of(options), threads);
    write_note(fmt::format("{} as tuned for {}{}: {}, of {}{}", program.title, threads_text(made_for),
                           options.prepacked ? ", weights packed ahead" : "", tune::describe(*found.best),
                           database->path(), instead));
    return recorded;
  } catch (const Error& error) {
    if (insists(options)) throw;
    write_note(first_line(error.what()) + "; what the rules choose is used instead");
    return std::nullopt;
  }
}

int recorded_threads(const ProgramOptions& options, const target::Target& target, int wanted) {
  ProgramOptions written = options;
  written.schedule = "none";
  written.records = Records::never;
  written.prepacked = false;
  const Program program = load_program(written, target);
  ProgramOptions best = options;
  best.records = Records::only;
  const std::optional<db::Database> database = opened(best);
  return found_record(*database, program, options, target, wanted, true).threads;
}

nlohmann::json record_json(const tune::Best& best) {
  const db::Trial& trial = best.trial;
  return {
      {"number", trial.number},           {"run", trial.run},           {"method", trial.method},
      {"median_s", trial.time->median_s}, {"low_s", trial.time->low_s}, {"high_s", trial.time->high_s},
      {"sketch", trial.sketch},           {"knobs", trial.knobs},       {"threads", best.task.task.threads},
      {"taken_at", trial.taken_at}};
}

}  // namespace ardea::cli
