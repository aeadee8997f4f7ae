#include "ardea/tune/best.h"

#include <fmt/format.h>

#include <algorithm>

#include "ardea/schedule/replay_trace.h"
#include "ardea/support/error.h"
#include "ardea/support/text.h"
#include "ardea/tune/task.h"

namespace ardea::tune {

namespace {

/// What is not the same in two tasks of one program, as the other has it.
std::string difference(const db::Task& wanted, const db::Task& other) {
  std::vector<std::string> parts;
  const bool is_another_kind = is_on_gpu(other) != is_on_gpu(wanted);
  const bool has_threads = !is_on_gpu(other) && !is_on_gpu(wanted);
  if (other.threads != wanted.threads && has_threads) parts.push_back("for " + threads_text(other));
  // The record says how many cores there are: other threads are another record.
  else if (other.target != wanted.target)
    parts.push_back("on " + other.target_name +
                    (other.target_name == wanted.target_name ? " as it was described then" : ""));
  if (other.compiler != wanted.compiler) parts.push_back("by " + other.compiler);
  if (is_prepacked(other) != is_prepacked(wanted))
    parts.emplace_back(is_prepacked(other) ? "with weights packed ahead (--prepacked)"
                                           : "with weights as they come (without --prepacked)");
  else if (other.protocol != wanted.protocol && !is_another_kind)
    parts.push_back("timed by " + other.protocol);
  return join(parts, ", ");
}

}  // namespace

Lookup load_best(const db::Database& database, const db::Task& task) {
  Lookup found;
  for (db::KeptTask& entry : database.tasks().sound) {
    if (entry.task.program != task.program) continue;
    auto trial = database.best(entry.id);
    if (!trial) continue;
    const std::string differs = difference(task, entry.task);
    if (!differs.empty()) {
      found.others.push_back(differs);
      found.threads.insert(static_cast<int>(entry.task.threads));
      continue;
    }
    // Two entries of one task differ in what people call it.
    if (!found.best || trial->time->median_s < found.best->trial.time->median_s)
      found.best = Best{std::move(entry), std::move(*trial)};
  }
  if (found.best) {
    found.others.clear();
    found.threads.clear();
  }
  std::sort(found.others.begin(), found.others.end());
  found.others.erase(std::unique(found.others.begin(), found.others.end()), found.others.end());
  return found;
}

schedule::Schedule apply_best(const Function& program, const Best& best) {
  try {
    return schedule::replay_trace(program, best.trial.trace);
  } catch (const Error& error) {
    fail("the record of {} ({}) does not fit its program any more: {}", best.task.task.workload,
         describe(best), error.what());
  }
}

std::string threads_text(std::int64_t threads, bool on_gpu) {
  return fmt::format("{} {}{}", threads, on_gpu ? "multiprocessor" : "thread", threads == 1 ? "" : "s");
}

std::string threads_text(const db::Task& task) { return threads_text(task.threads, is_on_gpu(task)); }

std::string describe(const Best& best) {
  const CallTime& time = best.trial.time.value();
  const bool is_short = time.median_s < 1e-3;
  const double unit = is_short ? 1e-6 : 1e-3;
  const std::string by = best.trial.method == db::duel ? ", winner of a duel" : " by " + best.trial.method;
  return fmt::format("trial {} of {}{}, {:.4g} {} ({:.4g} to {:.4g})", best.trial.number, best.task.trials,
                     by, time.median_s / unit, is_short ? "us" : "ms", time.low_s / unit, time.high_s / unit);
}

}  // namespace ardea::tune
