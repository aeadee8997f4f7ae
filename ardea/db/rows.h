#pragma once

#include <optional>

#include "ardea/db/record.h"
#include "ardea/db/statement.h"

/// How records lie in rows. A trial's checksum is one of its task, too: a number that changes on the disk
/// cannot move it to another.

namespace ardea::db {

/// SQLite's integers are signed.
std::int64_t row_sum(std::string_view text);
std::int64_t row_sum(std::string_view task, std::string_view trial);

/// Columns body, sum. Nothing where the row is damaged.
std::optional<Task> task_in(const Statement& row, int first);
/// Columns body, sum, median_s of a trial of the task with that text.
std::optional<Trial> trial_in(const Statement& row, int first, std::string_view task);
/// Columns body, sum of a note of the task with that text.
std::optional<Note> note_in(const Statement& row, int first, std::string_view task);

}  // namespace ardea::db
