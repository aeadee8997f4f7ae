#include "ardea/db/exchange.h"

#include <istream>
#include <ostream>
#include <unordered_map>

namespace ardea::db {

std::int64_t export_lines(const Database& database, std::ostream& out) {
  const Kept<KeptTask> tasks = database.tasks();
  std::int64_t damaged = tasks.damaged;
  for (const KeptTask& entry : tasks.sound) {
    const Kept<Trial> trials = database.trials(entry.id);
    damaged += trials.damaged;
    for (const Trial& trial : trials.sound) out << to_line(entry.task, trial) << '\n';
  }
  for (const std::string& line : database.lines()) out << line << '\n';
  return damaged;
}

Imported import_lines(Database& database, std::istream& in) {
  Imported imported;
  // Together, in the order of the tasks: a transaction for each line would wait for the disk as often.
  std::vector<std::pair<std::int64_t, std::vector<Trial>>> read;
  std::unordered_map<std::int64_t, std::size_t> places;
  std::int64_t number = 0;
  for (std::string text; std::getline(in, text);) {
    ++number;
    if (text.empty()) continue;
    Line line;
    try {
      line = line_of(text);
    } catch (const Error& error) {
      imported.refused.push_back(fmt::format("line {}: {}", number, error.what()));
      continue;
    }
    if (!line.trial) {
      ++imported.foreign;
      ++(database.add_line(text) ? imported.added : imported.known);
      continue;
    }
    const std::int64_t task = database.add(line.task);
    const auto [at, is_new] = places.try_emplace(task, read.size());
    if (is_new) read.emplace_back(task, std::vector<Trial>());
    read[at->second].second.push_back(std::move(*line.trial));
  }
  for (const auto& [task, trials] : read) {
    const std::int64_t added = database.add(task, trials);
    imported.added += added;
    imported.known += static_cast<std::int64_t>(trials.size()) - added;
  }
  return imported;
}

}  // namespace ardea::db
