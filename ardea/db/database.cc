#include "ardea/db/database.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <random>

#include "ardea/db/rows.h"

namespace ardea::db {

namespace {

constexpr std::int64_t format_version = 1;

std::int64_t pragma(const Connection& connection, const char* sql) {
  Statement statement(connection, sql);
  return statement.step() ? statement.integer(0) : 0;
}

bool is_empty(const Connection& connection) {
  return pragma(connection, "SELECT count(*) FROM sqlite_schema") == 0;
}

const char* what_it_is_instead(const Connection& connection) {
  return is_empty(connection) ? "it is empty" : "it is the database of another program";
}

void require_known_version(const Connection& connection) {
  const std::int64_t version = pragma(connection, "PRAGMA user_version");
  require(version != 0, "{}: {}; name another", connection.path(), what_it_is_instead(connection));
  require(version == format_version,
          "{} is a database of format {}, this program knows {}; a newer Ardea reads it, `ardea db export` "
          "of that one "
          "writes lines that this one keeps",
          connection.path(), version, format_version);
}

/// A database in the making, under a name of its own: nothing of it stays unless it takes its name.
class NewFile {
 public:
  explicit NewFile(const std::filesystem::path& path)
      : path_(path),
        own_(fmt::format("{}.{:x}-{:08x}.new", path.string(), getpid(), std::random_device()())) {}
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile() {
    std::error_code ignored;
    for (const char* part : {"", "-journal", "-wal", "-shm"})
      std::filesystem::remove(own_.string() + part, ignored);
  }

  const std::filesystem::path& own() const { return own_; }

  /// Unless another program was quicker, whose file stays.
  void take_name() const {
    std::error_code failure;
    std::filesystem::create_hard_link(own_, path_, failure);
    if (!failure || std::filesystem::exists(path_)) return;
    std::filesystem::rename(own_, path_, failure);  // some file systems have no links
    require(!failure, "{}: it cannot be made: {}", path_.string(), failure.message());
  }

 private:
  const std::filesystem::path path_, own_;
};

}  // namespace

Database Database::create(const std::filesystem::path& path) {
  std::error_code failure;
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), failure);
  require(!failure, "{}: its folder cannot be made: {}", path.string(), failure.message());
  // Where the disk is full there shall be none, rather than an empty one.
  if (!std::filesystem::exists(path)) {
    const NewFile made(path);
    Database(Connection(made.own(), Connection::Mode::create, path.string())).make_tables();
    made.take_name();
  }
  Database database(Connection(path, Connection::Mode::create));
  database.make_tables();
  return database;
}

void Database::require_salvageable(const std::filesystem::path& path) {
  const Connection from(path, Connection::Mode::salvage);
  bool is_ours = false;
  try {
    is_ours = pragma(from, "SELECT count(*) FROM sqlite_schema WHERE name = 'trials'") > 0;
  } catch (const Damaged&) {
    return;  // merging tells what there is
  }
  require(is_ours, "{}: {}; name another", from.path(), what_it_is_instead(from));
}

Database Database::open(const std::filesystem::path& path) {
  Database database(Connection(path, Connection::Mode::write));
  require_known_version(database.connection_);
  return database;
}

void Database::make_tables() const {
  // By one statement: another tuner may be making them now.
  require(
      pragma(
          connection_,
          "SELECT count(*) > 0 AND (SELECT user_version FROM pragma_user_version) = 0 FROM sqlite_schema") ==
          0,
      "{}: it is the database of another program; name another", path());
  connection_.run("PRAGMA synchronous = FULL");
  Transaction all(connection_);
  if (pragma(connection_, "PRAGMA user_version") == 0) {
    connection_.run(R"(
      CREATE TABLE tasks(id INTEGER PRIMARY KEY, body TEXT NOT NULL, sum INTEGER NOT NULL);
      CREATE INDEX tasks_by_sum ON tasks(sum);
      CREATE TABLE trials(id INTEGER PRIMARY KEY, task INTEGER NOT NULL, body TEXT NOT NULL, sum INTEGER NOT NULL,
                          median_s REAL);
      CREATE INDEX trials_by_speed ON trials(task, median_s);
      CREATE INDEX trials_by_sum ON trials(task, sum);
      CREATE TABLE notes(id INTEGER PRIMARY KEY, task INTEGER NOT NULL, body TEXT NOT NULL, sum INTEGER NOT NULL);
      CREATE INDEX notes_by_sum ON notes(task, sum);
      CREATE TABLE lines(id INTEGER PRIMARY KEY, body TEXT NOT NULL UNIQUE);
      PRAGMA user_version = 1;
    )");
  }
  require_known_version(connection_);
  all.commit();
  // Readers do not wait for a writer, and a kill leaves a log that the next to open it plays. After the
  // tables, so that these are in the file itself.
  connection_.run_patiently("PRAGMA journal_mode = WAL");
}

std::optional<std::int64_t> Database::find(const Task& task) const {
  const std::string body = to_text(task);
  Statement same(connection_, "SELECT id, body FROM tasks WHERE sum = ?1");
  same.bind(1, row_sum(body));
  while (same.step())
    if (same.text(1) == body) return same.integer(0);
  return std::nullopt;
}

std::int64_t Database::add(const Task& task) {
  if (const auto known = find(task)) return *known;
  Transaction all(connection_);
  const auto found = find(task);  // another program may have been quicker
  if (!found) {
    const std::string body = to_text(task);
    Statement(connection_, "INSERT INTO tasks(body, sum) VALUES(?1, ?2)")
        .bind(1, body)
        .bind(2, row_sum(body))
        .step();
  }
  const std::int64_t id = found ? *found : pragma(connection_, "SELECT last_insert_rowid()");
  all.commit();
  return id;
}

std::string Database::body_of(std::int64_t task) const {
  Statement row(connection_, "SELECT body FROM tasks WHERE id = ?1");
  require(row.bind(1, task).step(), "{} has no task {}", path(), task);
  return row.text(0);
}

std::int64_t Database::add(std::int64_t task, const std::vector<Trial>& trials) {
  Transaction all(connection_);
  const std::string task_body = body_of(task);
  Statement same(connection_, "SELECT body FROM trials WHERE task = ?1 AND sum = ?2");
  Statement insert(connection_, "INSERT INTO trials(task, body, sum, median_s) VALUES(?1, ?2, ?3, ?4)");
  std::int64_t added = 0;
  for (const Trial& trial : trials) {
    const std::string body = to_text(trial);
    const std::int64_t sum = row_sum(task_body, body);
    same.reset();
    same.bind(1, task).bind(2, sum);
    bool is_there = false;
    while (!is_there && same.step()) is_there = same.text(0) == body;
    if (is_there) continue;
    insert.reset();
    const auto median_s = trial.time ? std::optional(trial.time->median_s) : std::nullopt;
    insert.bind(1, task).bind(2, body).bind(3, sum).bind(4, median_s).step();
    ++added;
  }
  same.reset();
  insert.reset();
  all.commit();
  return added;
}

std::int64_t Database::add_notes(std::int64_t task, const std::vector<Note>& notes) {
  Transaction all(connection_);
  const std::string task_body = body_of(task);
  std::int64_t added = 0;
  for (const Note& note : notes) {
    const std::string body = to_text(note);
    const std::int64_t sum = row_sum(task_body, body);
    Statement insert(connection_,
                     "INSERT INTO notes(task, body, sum) SELECT ?1, ?2, ?3 WHERE NOT EXISTS"
                     " (SELECT 1 FROM notes WHERE task = ?1 AND sum = ?3 AND body = ?2)");
    insert.bind(1, task).bind(2, body).bind(3, sum).step();
    added += pragma(connection_, "SELECT changes()");
  }
  all.commit();
  return added;
}

bool Database::add_line(std::string_view line) {
  Transaction all(connection_);
  Statement(connection_, "INSERT OR IGNORE INTO lines(body) VALUES(?1)").bind(1, line).step();
  const bool added = pragma(connection_, "SELECT changes()") > 0;
  all.commit();
  return added;
}

Kept<KeptTask> Database::tasks() const {
  Kept<KeptTask> kept;
  Statement row(
      connection_,
      "SELECT id, body, sum, (SELECT count(*) FROM trials WHERE task = tasks.id),"
      " (SELECT count(*) FROM trials WHERE task = tasks.id AND median_s IS NULL) FROM tasks ORDER BY id");
  while (row.step()) {
    if (const auto task = task_in(row, 1))
      kept.sound.push_back({row.integer(0), *task, row.integer(3), row.integer(4)});
    else
      ++kept.damaged;
  }
  return kept;
}

Kept<Trial> Database::trials(std::int64_t task) const {
  Kept<Trial> kept;
  Statement row(
      connection_,
      "SELECT trials.body, trials.sum, median_s, tasks.body FROM trials JOIN tasks ON tasks.id = task"
      " WHERE task = ?1 ORDER BY trials.id");
  row.bind(1, task);
  while (row.step()) {
    if (auto trial = trial_in(row, 0, row.text(3)))
      kept.sound.push_back(std::move(*trial));
    else
      ++kept.damaged;
  }
  return kept;
}

Kept<Note> Database::notes(std::int64_t task) const {
  Kept<Note> kept;
  Statement row(connection_,
                "SELECT notes.body, notes.sum, tasks.body FROM notes JOIN tasks ON tasks.id = task"
                " WHERE task = ?1 ORDER BY notes.id");
  row.bind(1, task);
  while (row.step()) {
    if (auto note = note_in(row, 0, row.text(2)))
      kept.sound.push_back(std::move(*note));
    else
      ++kept.damaged;
  }
  return kept;
}

std::optional<Trial> Database::best(std::int64_t task) const {
  std::vector<Trial> timed = trials(task).sound;
  std::erase_if(timed, [](const Trial& trial) { return !trial.time; });
  std::stable_sort(timed.begin(), timed.end(),
                   [](const Trial& a, const Trial& b) { return a.taken_at < b.taken_at; });
  const auto is_faster = [](const Trial& a, const Trial& b) { return a.time->median_s < b.time->median_s; };
  const auto was_in_duel_of = [&](const Trial& one, const Trial& winner) {
    return std::any_of(timed.begin(), timed.end(), [&](const Trial& t) {
      return t.run == winner.run && t.batch == winner.batch && t.trace == one.trace;
    });
  };
  // A later duel has judged those that took part in it, in whatever minute it was held; whom it did not meet,
  // times have to judge.
  const Trial* winner = nullptr;
  std::optional<std::int64_t> last_duel;
  for (const Trial& trial : timed) {
    if (trial.method != duel) continue;
    last_duel = trial.taken_at;
    if (winner == nullptr || was_in_duel_of(*winner, trial) || is_faster(trial, *winner)) winner = &trial;
  }
  // What was there when a duel was held, it has judged: a time from a quieter minute says nothing against it.
  const Trial* fastest = nullptr;
  for (const Trial& trial : timed)
    if ((!last_duel || trial.taken_at > *last_duel) && (fastest == nullptr || is_faster(trial, *fastest)))
      fastest = &trial;
  const bool winner_holds =
      winner != nullptr && (fastest == nullptr || fastest->time->high_s >= winner->time->low_s);
  const Trial* const best = winner_holds ? winner : fastest;
  return best == nullptr ? std::nullopt : std::optional(*best);
}

std::vector<std::string> Database::lines() const {
  std::vector<std::string> lines;
  Statement row(connection_, "SELECT body FROM lines ORDER BY id");
  while (row.step()) lines.push_back(row.text(0));
  return lines;
}

std::int64_t Database::prune(std::int64_t keep) {
  require(keep >= 1, "--keep {}: at least one trial of each task stays", keep);
  Transaction all(connection_);
  // What a duel has crowned is the best, though others were faster in a quieter minute: it stays first.
  connection_.run("CREATE TEMP TABLE IF NOT EXISTS best_trials (id INTEGER PRIMARY KEY)");
  connection_.run("DELETE FROM best_trials");
  for (const KeptTask& entry : tasks().sound) {
    const auto winner = best(entry.id);
    if (!winner) continue;
    Statement row(connection_,
                  "SELECT trials.body, trials.sum, median_s, tasks.body, trials.id FROM trials"
                  " JOIN tasks ON tasks.id = task WHERE task = ?1");
    row.bind(1, entry.id);
    while (row.step())
      if (const auto trial = trial_in(row, 0, row.text(3));
          trial && trial->run == winner->run && trial->number == winner->number)
        Statement(connection_, "INSERT OR IGNORE INTO best_trials VALUES (?1)")
            .bind(1, row.integer(4))
            .step();
  }
  Statement(
      connection_,
      "DELETE FROM trials WHERE id NOT IN (SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY task"
      " ORDER BY id NOT IN (SELECT id FROM best_trials), median_s IS NULL, median_s, id) AS place FROM "
      "trials)"
      " WHERE place <= ?1)")
      .bind(1, keep)
      .step();
  const std::int64_t gone = pragma(connection_, "SELECT changes()");
  all.commit();
  connection_.run("VACUUM");
  return gone;
}

Database::Faults Database::verify() const {
  Faults faults;
  Statement check(connection_, "PRAGMA integrity_check");
  while (check.step())
    if (std::string sentence = check.text(0); sentence != "ok")
      faults.structure.push_back(std::move(sentence));
  const Kept<KeptTask> all = tasks();
  faults.rows = static_cast<std::int64_t>(all.sound.size()) + all.damaged;
  faults.damaged = all.damaged;
  Statement row(
      connection_,
      "SELECT trials.body, trials.sum, median_s, tasks.body FROM trials LEFT JOIN tasks ON tasks.id = task");
  for (; row.step(); ++faults.rows)
    if (!trial_in(row, 0, row.text(3))) ++faults.damaged;
  Statement note(connection_,
                 "SELECT notes.body, notes.sum, tasks.body FROM notes LEFT JOIN tasks ON tasks.id = task");
  for (; note.step(); ++faults.rows)
    if (!note_in(note, 0, note.text(2))) ++faults.damaged;
  return faults;
}

std::filesystem::path default_path() {
  const auto setting = [](const char* name) {
    const char* const value = std::getenv(name);
    return std::filesystem::path(value == nullptr ? "" : value);
  };
  if (const auto own = setting("ARDEA_DB"); !own.empty()) return own;
  if (const auto data = setting("XDG_DATA_HOME"); !data.empty()) return data / "ardea" / "tuning.db";
  const auto home = setting("HOME");
  require(!home.empty(), "there is no place for the database: name one with --db, or set ARDEA_DB or HOME");
  return home / ".local" / "share" / "ardea" / "tuning.db";
}

}  // namespace ardea::db
