#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "ardea/cli/best_report.h"
#include "ardea/cli/commands.h"
#include "ardea/cli/output.h"
#include "ardea/cli/rates.h"
#include "ardea/cli/tuned.h"
#include "ardea/db/exchange.h"
#include "ardea/support/error.h"
#include "ardea/support/text.h"
#include "ardea/support/whole_file.h"

namespace ardea::cli {

namespace {

using nlohmann::json;

std::filesystem::path path_of(const DbOptions& options) {
  return options.db.empty() ? db::default_path() : std::filesystem::path(options.db);
}

db::Database existing(const DbOptions& options) {
  return existing(Asked{.command = "db " + options.action, .db = options.db});
}

json described(const db::KeptTask& entry) {
  return {{"workload", entry.task.workload}, {"target", entry.task.target_name},
          {"threads", entry.task.threads},   {"compiler", entry.task.compiler},
          {"protocol", entry.task.protocol}, {"trials", entry.trials},
          {"failures", entry.failures}};
}

int list(const DbOptions& options) {
  const db::Database database = existing(options);
  const auto tasks = told_tasks(database);
  json all = json::array();
  std::string text;
  for (const db::KeptTask& entry : tasks.sound) {
    const auto best = database.best(entry.id);
    json one = described(entry);
    if (best) one["best_s"] = best->time->median_s;
    all.push_back(std::move(one));
    text += fmt::format("{:<40}  {:<16} {:>3} thread{}  {:>6} trials  {:>5} failed  {:>12}  {}\n",
                        title_of(entry.task), entry.task.target_name, entry.task.threads,
                        entry.task.threads == 1 ? " " : "s", entry.trials, entry.failures,
                        best ? time_text(best->time->median_s) : "-", entry.task.compiler);
  }
  if (text.empty()) text = fmt::format("{}: nothing was tuned yet\n", database.path());
  write_out(options.json
                ? json{{"database", database.path()}, {"tasks", all}, {"damaged", tasks.damaged}}.dump(2) +
                      "\n"
                : text);
  return exit_ok;
}

int best(const DbOptions& options) {
  return answer_best(
      {.command = "db best", .db = options.db, .json = options.json},
      [&](const db::Task& task) { return task.workload.find(options.workload) != std::string::npos; },
      options.workload.empty()
          ? ""
          : " of a task with \"" + options.workload + "\" in its name; `ardea db list` names them");
}

int export_all(const DbOptions& options) {
  const db::Shape shape = db::shape_of(options.as);
  const db::Database database = existing(options);
  std::ostringstream lines;
  note_damaged(database, db::export_lines(database, lines, shape));
  if (options.out.empty())
    write_out(lines.str());
  else
    write_whole_file(options.out, {lines.str()});
  return exit_ok;
}

/// What was not read, and is kept.
std::string kept_text(const db::Imported& imported) {
  std::string text;
  if (const auto others = imported.foreign - imported.theirs; others > 0)
    text += fmt::format(", {} of another version, kept as they are", others);
  if (imported.theirs > 0)
    text += fmt::format(
        ", {} of other tuners, whose steps are not ours: kept as they are, for `ardea db export --as`",
        imported.theirs);
  return text;
}

/// Error where no line of a file can be one of a trial: before anything is written.
void require_lines(const std::string& file) {
  require(!std::filesystem::is_directory(file), "{}: this is a directory; name a file in it", file);
  std::ifstream in(file, std::ios::binary);
  require(in.good(), "{}: the file cannot be read", file);
  bool is_empty = true, has_object = false;
  for (std::string line; !has_object && std::getline(in, line);) {
    is_empty = is_empty && line.find_first_not_of(" \t\r") == std::string::npos;
    has_object = json::parse(line, nullptr, false).is_object();
  }
  require(has_object || is_empty,
          "{}: none of its lines is a JSON object, as `ardea db export` writes them; `ardea db merge` takes "
          "databases",
          file);
}

int import_all(const DbOptions& options) {
  require(!options.files.empty(),
          "db import: name the files of lines to read, such as `ardea db import trials.jsonl`");
  for (const std::string& file : options.files) require_lines(file);
  db::Database database = db::Database::create(path_of(options));
  int code = exit_ok;
  json all = json::array();
  for (const std::string& file : options.files) {
    std::ifstream in(file, std::ios::binary);
    const db::Imported imported = db::import_lines(database, in);
    all.push_back({{"file", file},
                   {"added", imported.added},
                   {"known", imported.known},
                   {"foreign", imported.foreign},
                   {"of_other_tuners", imported.theirs},
                   {"refused", imported.refused}});
    if (!options.json)
      write_out(fmt::format("{}: {} added, {} were there already{}\n", file, imported.added, imported.known,
                            kept_text(imported)));
    for (const std::string& refused : imported.refused) write_note(fmt::format("{}, {}", file, refused));
    if (!imported.refused.empty()) code = exit_disagrees;
  }
  if (options.json) write_out(all.dump(2) + "\n");
  return code;
}

int verify(const DbOptions& options) {
  const db::Database database = existing(options);
  const auto faults = database.verify();
  if (options.json)
    write_out(json{{"database", database.path()},
                   {"rows", faults.rows},
                   {"damaged", faults.damaged},
                   {"structure", faults.structure}}
                  .dump(2) +
              "\n");
  else
    write_out(
        faults.none()
            ? fmt::format("{}: {} rows, all sound\n", database.path(), faults.rows)
            : fmt::format(
                  "{}: {} of {} rows are damaged{}{}; `ardea db merge {} --db NEW.db` keeps the others\n",
                  database.path(), faults.damaged, faults.rows, faults.structure.empty() ? "" : "; ",
                  join(faults.structure, "; "), database.path()));
  return faults.none() ? exit_ok : exit_disagrees;
}

int merge(const DbOptions& options) {
  require(!options.files.empty(),
          "db merge: name the databases to take from, such as `ardea db merge other.db`");
  for (const std::string& file : options.files) db::Database::require_salvageable(file);
  db::Database database = db::Database::create(path_of(options));
  int code = exit_ok;
  json all = json::array();
  for (const std::string& file : options.files) {
    const auto merged = database.merge(file);
    all.push_back({{"file", file},
                   {"added", merged.added},
                   {"known", merged.known},
                   {"damaged", merged.damaged},
                   {"is_whole", merged.is_whole}});
    if (!options.json)
      write_out(fmt::format("{}: {} trials added, {} were there already, {} damaged{}\n", file, merged.added,
                            merged.known, merged.damaged,
                            merged.is_whole ? "" : "; parts of the file cannot be read"));
    if (merged.damaged > 0 || !merged.is_whole) code = exit_disagrees;
  }
  if (options.json) write_out(all.dump(2) + "\n");
  return code;
}

int prune(const DbOptions& options) {
  require(options.keep >= 1, "db prune: say how many trials of each task stay, such as --keep 10");
  db::Database database = existing(options);
  const std::int64_t gone = database.prune(options.keep);
  write_out(options.json ? json{{"removed", gone}}.dump() + "\n"
                         : fmt::format("{}: {} trials removed\n", database.path(), gone));
  return exit_ok;
}

/// What belongs to another action would be ignored here.
void require_its_own(const DbOptions& options) {
  const auto only = [&](const std::string& what, bool is_given, const std::vector<std::string>& actions) {
    require(!is_given || std::find(actions.begin(), actions.end(), options.action) != actions.end(),
            "db {}: {} belongs to {}; leave it out", options.action, what, join(actions, " and "));
  };
  only(options.files.empty() ? "" : options.files[0], !options.files.empty(), {"import", "merge"});
  only("--workload " + options.workload, !options.workload.empty(), {"best"});
  only("--out " + options.out, !options.out.empty(), {"export"});
  only("--as " + options.as, options.as != "own", {"export"});
  only(fmt::format("--keep {}", options.keep), options.keep != 0, {"prune"});
}

}  // namespace

int db(const DbOptions& options) {
  using Action = int (*)(const DbOptions&);
  static const std::vector<std::pair<std::string, Action>> actions = {
      {"list", list},     {"best", best},   {"export", export_all}, {"import", import_all},
      {"verify", verify}, {"merge", merge}, {"prune", prune}};
  std::vector<std::string> names;
  for (const auto& [name, action] : actions) {
    if (name == options.action) {
      require_its_own(options);
      return action(options);
    }
    names.push_back(name);
  }
  fail("db {}: there is no such action, only {}{}", options.action, join(names, ", "),
       did_you_mean(options.action, names));
}

}  // namespace ardea::cli
