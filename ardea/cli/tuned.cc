#include "ardea/cli/tuned.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "ardea/cli/best_report.h"
#include "ardea/cli/commands.h"
#include "ardea/cli/output.h"
#include "ardea/support/error.h"

namespace ardea::cli {

db::Database existing(const Asked& asked) {
  const std::filesystem::path path = asked.db.empty() ? db::default_path() : std::filesystem::path(asked.db);
  require(std::filesystem::exists(path),
          "{}: there is no database {}; `ardea tune`, `ardea db import` and `merge` make one", asked.command,
          path.string());
  return db::Database::open(path);
}

void note_damaged(const db::Database& database, std::int64_t damaged) {
  if (damaged > 0)
    write_note(
        fmt::format("{}: {} rows are damaged and left out; `ardea db merge {} --db NEW.db` keeps the others",
                    database.path(), damaged, database.path()));
}

db::Kept<db::KeptTask> told_tasks(const db::Database& database) {
  db::Kept<db::KeptTask> tasks = database.tasks();
  note_damaged(database, tasks.damaged);
  return tasks;
}

int answer_best(const Asked& asked, const std::function<bool(const db::Task&)>& is_meant,
                const std::string& whose) {
  const db::Database database = existing(asked);
  nlohmann::json all = nlohmann::json::array();
  std::string text;
  for (const db::KeptTask& entry : told_tasks(database).sound) {
    if (!is_meant(entry.task)) continue;
    const std::optional<BestReport> report = best_report(database, entry);
    if (!report) continue;
    all.push_back(best_json(*report));
    text += best_text(*report);
  }
  require(!all.empty(), "{}: no timed trial in {}{}", asked.command, database.path(), whose);
  write_out(asked.json ? all.dump(2) + "\n" : text);
  return exit_ok;
}

}  // namespace ardea::cli
