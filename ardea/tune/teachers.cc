#include "ardea/tune/teachers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "ardea/ir/parse.h"
#include "ardea/schedule/replay_trace.h"
#include "ardea/schedule/separate_packing.h"
#include "ardea/support/error.h"
#include "ardea/tune/replay.h"
#include "ardea/tune/task.h"

namespace ardea::tune {

namespace {

using nlohmann::json;

/// "gemm 512,512,512 in=float32,float32": what it is, and its sizes.
struct Named {
  std::string op, rest;
  std::vector<double> sizes;
};

Named named(const std::string& workload) {
  Named name;
  std::istringstream words(workload);
  std::string sizes;
  words >> name.op >> sizes;
  std::getline(words, name.rest);
  std::istringstream numbers(sizes);
  for (std::string one; std::getline(numbers, one, ',');)
    name.sizes.push_back(std::strtod(one.c_str(), nullptr));
  return name;
}

/// In doublings, of all sizes together; nothing where they are not of one operator.
std::optional<double> distance(const Named& a, const Named& b) {
  if (a.op != b.op || a.rest != b.rest || a.sizes.size() != b.sizes.size()) return std::nullopt;
  double sum = 0;
  for (std::size_t i = 0; i < a.sizes.size(); ++i) {
    const double from = std::max(a.sizes[i], 0.5), to = std::max(b.sizes[i], 0.5);  // a padding may be 0
    sum += std::abs(std::log2(from / to));
  }
  return sum;
}

bool is_comparable(const db::Task& a, const db::Task& b) {
  return a.target == b.target && a.threads == b.threads && a.compiler == b.compiler &&
         a.protocol == b.protocol && a.program != b.program;
}

/// The fastest, and evenly over the others by their order.
std::vector<db::Trial> some_of(std::vector<db::Trial> trials, std::size_t most) {
  std::erase_if(trials, [](const db::Trial& t) {
    return !t.time || !std::isfinite(t.time->median_s) || t.time->median_s <= 0 || t.method == db::duel ||
           t.method == in_duel;
  });
  std::stable_sort(trials.begin(), trials.end(), [](const db::Trial& a, const db::Trial& b) {
    return a.time->median_s < b.time->median_s;
  });
  std::set<std::string> known;
  std::erase_if(trials, [&](const db::Trial& t) { return !known.insert(t.trace).second; });
  if (trials.size() <= most) return trials;
  std::vector<db::Trial> chosen;
  for (std::size_t i = 0; i < most; ++i) chosen.push_back(trials[i * trials.size() / most]);
  return chosen;
}

std::string sum_of(const db::Task& task) { return fmt::format("{:016x}", db::checksum(to_text(task))); }

}  // namespace

std::vector<Teacher> teachers_of(const db::Database& database, const db::Task& task,
                                 const TeacherLimits& limits) {
  const Named own = named(task.workload);
  std::vector<std::pair<double, db::KeptTask>> near;
  for (db::KeptTask& other : database.tasks().sound)
    if (is_comparable(task, other.task))
      if (const auto far = distance(own, named(other.task.workload)))
        near.emplace_back(*far, std::move(other));
  std::stable_sort(near.begin(), near.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Teacher> teachers;
  for (auto& [far, other] : near) {
    if (teachers.size() >= limits.tasks) break;
    std::vector<db::Trial> trials = some_of(database.trials(other.id).sound, limits.trials);
    if (!trials.empty()) teachers.push_back({std::move(other.task), std::move(trials)});
  }
  return teachers;
}

std::string to_note(const std::vector<Teacher>& teachers) {
  json list = json::array();
  for (const Teacher& teacher : teachers) {
    json trials = json::array();
    for (const db::Trial& trial : teacher.trials) trials.push_back({trial.run, trial.number});
    list.push_back({{"workload", teacher.task.workload}, {"task", sum_of(teacher.task)}, {"trials", trials}});
  }
  return list.dump();
}

std::vector<Teacher> teachers_in(const db::Database& database, const std::string& note) {
  std::vector<Teacher> teachers;
  const std::vector<db::KeptTask> tasks = database.tasks().sound;
  for (const json& entry : json::parse(note)) {
    const auto sum = entry.at("task").get<std::string>(), workload = entry.at("workload").get<std::string>();
    const auto at = std::find_if(tasks.begin(), tasks.end(),
                                 [&](const db::KeptTask& task) { return sum_of(task.task) == sum; });
    require(at != tasks.end(), "replay: the run learned from {}, which {} has no more", workload,
            database.path());
    std::map<std::pair<std::string, std::int64_t>, db::Trial> by_name;
    for (db::Trial& trial : database.trials(at->id).sound)
      if (trial.method != db::duel && trial.method != in_duel)
        by_name.emplace(std::pair(trial.run, trial.number), std::move(trial));
    Teacher teacher{at->task, {}};
    for (const json& name : entry.at("trials")) {
      const auto found = by_name.find({name.at(0).get<std::string>(), name.at(1).get<std::int64_t>()});
      require(found != by_name.end(), "replay: the run learned from trial {} of {}, which {} has no more",
              name.at(1).get<std::int64_t>(), workload, database.path());
      teacher.trials.push_back(found->second);
    }
    teachers.push_back(std::move(teacher));
  }
  return teachers;
}

std::vector<cost::OtherTask> lessons_of(const std::vector<Teacher>& teachers,
                                        const cost::Features& features) {
  std::vector<cost::OtherTask> lessons;
  for (const Teacher& teacher : teachers) {
    cost::OtherTask lesson;
    schedule::Schedule::History past;
    const bool packed_ahead = is_prepacked(teacher.task);
    try {
      const Function program = parse_function(teacher.task.program);
      // In the order of their steps: what the last one had, too, is not judged again.
      std::vector<const db::Trial*> trials;
      for (const db::Trial& trial : teacher.trials) trials.push_back(&trial);
      std::stable_sort(trials.begin(), trials.end(),
                       [](const db::Trial* a, const db::Trial* b) { return a->trace < b->trace; });
      for (const db::Trial* trial : trials) {
        try {
          const schedule::Schedule made = schedule::replay_trace(program, trial->trace, past);
          past = made.history();
          // Of weights that are packed ahead, the packing was not timed.
          std::vector<float> row = features.row_of(
              packed_ahead ? schedule::without_packing(made.program(), schedule::weights_of(program))
                           : made.program());
          const bool says_cycles = std::isfinite(row[static_cast<std::size_t>(cost::Feature::cycles)]);
          if (says_cycles && trial->time) lesson.trials.push_back({std::move(row), trial->time->median_s});
        } catch (const Error&) {  // NOLINT(bugprone-empty-catch)
          // Steps of other rules, or no steps at all: the others may be some.
        }
      }
    } catch (const Error&) {  // NOLINT(bugprone-empty-catch)
      // The text is no program here.
    }
    if (!lesson.trials.empty()) lessons.push_back(std::move(lesson));
  }
  return lessons;
}

}  // namespace ardea::tune
