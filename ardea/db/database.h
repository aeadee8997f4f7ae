#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "ardea/db/record.h"
#include "ardea/db/statement.h"

namespace ardea::db {

/// A task of the database, and what was found.
struct KeptTask {
  std::int64_t id = 0;
  Task task;
  std::int64_t trials = 0, failures = 0;  ///< those that are not timed are among the trials
};

/// What is sound, and how much is not: a row that does not have its checksum is never used.
template <class T>
struct Kept {
  std::vector<T> sound;
  std::int64_t damaged = 0;
};

/// All trials that were ever made, in one SQLite file. A kill at any moment loses nothing that `add` had
/// returned from. Several programs may add to one file.
class Database {
 public:
  /// With its folders, where it is not there.
  static Database create(const std::filesystem::path& path);
  /// Error where it is not there.
  static Database open(const std::filesystem::path& path);

  const std::string& path() const { return connection_.path(); }

  /// The number of an equal task, a new one where there is none.
  std::int64_t add(const Task& task);
  /// All of them or none; they are on the disk when it returns. How many were new: equal ones are kept once.
  std::int64_t add(std::int64_t task, const std::vector<Trial>& trials);
  /// The same of notes.
  std::int64_t add_notes(std::int64_t task, const std::vector<Note>& notes);
  /// A sound line of a version that is not known here, to be handed on as it is. Whether it was new.
  bool add_line(std::string_view line);

  std::optional<std::int64_t> find(const Task& task) const;
  Kept<KeptTask> tasks() const;
  /// In the order in which they were added.
  Kept<Trial> trials(std::int64_t task) const;
  /// In the order in which they were added.
  Kept<Note> notes(std::int64_t task) const;
  /// The winner of the last duel, or of an earlier one that the last has not judged and whose time is less;
  /// the fastest of all where there was none, or of those taken after the last duel, where its whole interval
  /// lies below that winner's.
  std::optional<Trial> best(std::int64_t task) const;
  std::vector<std::string> lines() const;

  /// Keeps the `keep` fastest trials of each task. How many went.
  std::int64_t prune(std::int64_t keep);

  struct Faults {
    std::vector<std::string> structure;  ///< SQLite's own sentences
    std::int64_t rows = 0, damaged = 0;
    bool none() const { return structure.empty() && damaged == 0; }
  };
  Faults verify() const;

  /// Copies what is sound in another file, however damaged that is. Rows that are there already are not
  /// copied again.
  struct Merged {
    /// Trials, notes and lines.
    std::int64_t added = 0, known = 0, damaged = 0;
    bool is_whole = true;  ///< of the other file: nothing of it was out of reach
  };
  Merged merge(const std::filesystem::path& other);
  /// Error where nothing at all can be merged from it.
  static void require_salvageable(const std::filesystem::path& path);

 private:
  explicit Database(Connection connection) : connection_(std::move(connection)) {}
  void make_tables() const;
  std::string body_of(std::int64_t task) const;

  Connection connection_;
};

/// Where a user's own is: ARDEA_DB, else ardea/tuning.db below XDG_DATA_HOME or ~/.local/share.
std::filesystem::path default_path();

}  // namespace ardea::db
