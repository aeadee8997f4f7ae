#include <algorithm>
#include <map>

#include "ardea/db/database.h"
#include "ardea/db/rows.h"

namespace ardea::db {

namespace {

/// Goes through a table of a file that may be damaged: where a page cannot be read, the rows beyond it still
/// can, by their numbers.
class Salvage {
 public:
  Salvage(const Connection& from, const char* sql, const char* last_sql)
      : from_(from), sql_(sql), last_(last_of(last_sql)) {}

  template <class F>
  void for_each(const F& f) {
    for (std::int64_t next = 1; next <= last_;) {
      try {
        Statement row(from_, sql_);
        row.bind(1, next);
        while (row.step()) {
          const std::int64_t id = row.integer(0);
          f(id, row);
          next = std::max(next, id + 1);
        }
        return;
      } catch (const Damaged&) {
        is_whole_ = false;
        next = beyond(next);
      }
    }
  }
  bool is_whole() const { return is_whole_; }

 private:
  bool is_readable(std::int64_t id) const {
    try {
      Statement row(from_, sql_);
      row.bind(1, id).step();
      return true;
    } catch (const Damaged&) {
      return false;
    }
  }

  /// The first number from which on rows can be read again: by strides that double, then by halves.
  std::int64_t beyond(std::int64_t unreadable) const {
    std::int64_t stride = 1;
    while (unreadable + stride <= last_ && !is_readable(unreadable + stride)) {
      unreadable += stride;
      stride *= 2;
    }
    std::int64_t low = unreadable, high = std::min(unreadable + stride, last_ + 1);
    while (high - low > 1) {
      const std::int64_t middle = low + (high - low) / 2;
      (is_readable(middle) ? high : low) = middle;
    }
    return high;
  }

  std::int64_t last_of(const char* sql) {
    try {
      Statement last(from_, sql);
      return last.step() ? last.integer(0) : 0;
    } catch (const Damaged&) {
      is_whole_ = false;
      return std::int64_t{1} << 40;  // what is torn off at the end hides how many there were
    }
  }

  const Connection& from_;
  const char* sql_;
  bool is_whole_ = true;
  std::int64_t last_;
};

/// Pages that are missing at the end may read as empty ones: only SQLite's own look at all pages tells.
bool is_in_order(const Connection& file) {
  try {
    Statement check(file, "PRAGMA quick_check(1)");
    return check.step() && check.text(0) == "ok";
  } catch (const Damaged&) {
    return false;
  }
}

}  // namespace

Database::Merged Database::merge(const std::filesystem::path& other) {
  std::error_code failure;
  require(!std::filesystem::equivalent(other, path(), failure), "merge {} {}: they are one file", path(),
          other.string());
  const Connection from(other, Connection::Mode::salvage);
  Merged merged;
  struct Known {
    std::int64_t id;
    std::string body;
  };
  std::map<std::int64_t, Known> tasks;
  Salvage their_tasks(from, "SELECT id, body, sum FROM tasks WHERE id >= ?1 ORDER BY id",
                      "SELECT max(id) FROM tasks");
  their_tasks.for_each([&](std::int64_t id, const Statement& row) {
    if (const auto task = task_in(row, 1))
      tasks.emplace(id, Known{add(*task), row.text(1)});
    else
      ++merged.damaged;
  });
  std::map<std::int64_t, std::vector<Trial>> trials;
  Salvage their_trials(from, "SELECT id, body, sum, median_s, task FROM trials WHERE id >= ?1 ORDER BY id",
                       "SELECT max(id) FROM trials");
  their_trials.for_each([&](std::int64_t, const Statement& row) {
    const auto task = tasks.find(row.integer(4));
    auto trial = task == tasks.end() ? std::nullopt : trial_in(row, 1, task->second.body);
    if (trial)
      trials[task->second.id].push_back(std::move(*trial));
    else
      ++merged.damaged;
  });
  std::map<std::int64_t, std::vector<Note>> notes;
  Salvage their_notes(from, "SELECT id, body, sum, task FROM notes WHERE id >= ?1 ORDER BY id",
                      "SELECT max(id) FROM notes");
  their_notes.for_each([&](std::int64_t, const Statement& row) {
    const auto task = tasks.find(row.integer(3));
    auto note = task == tasks.end() ? std::nullopt : note_in(row, 1, task->second.body);
    if (note)
      notes[task->second.id].push_back(std::move(*note));
    else
      ++merged.damaged;
  });
  const auto count = [&](std::int64_t added, std::size_t of) {
    merged.added += added;
    merged.known += static_cast<std::int64_t>(of) - added;
  };
  for (const auto& [task, theirs] : trials) count(add(task, theirs), theirs.size());
  for (const auto& [task, theirs] : notes) count(add_notes(task, theirs), theirs.size());
  Salvage their_lines(from, "SELECT id, body FROM lines WHERE id >= ?1 ORDER BY id",
                      "SELECT max(id) FROM lines");
  their_lines.for_each([&](std::int64_t, const Statement& row) {
    const std::string line = row.text(1);
    try {
      line_of(line);
    } catch (const Error&) {
      ++merged.damaged;
      return;
    }
    ++(add_line(line) ? merged.added : merged.known);
  });
  merged.is_whole = is_in_order(from) && their_tasks.is_whole() && their_trials.is_whole() &&
                    their_notes.is_whole() && their_lines.is_whole();
  return merged;
}

}  // namespace ardea::db
