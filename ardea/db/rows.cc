#include "ardea/db/rows.h"

#include <bit>

namespace ardea::db {

std::int64_t row_sum(std::string_view text) { return std::bit_cast<std::int64_t>(checksum(text)); }

std::int64_t row_sum(std::string_view task, std::string_view trial) {
  std::string both(task);
  both += '\n';
  both += trial;
  return row_sum(both);
}

std::optional<Task> task_in(const Statement& row, int first) {
  const std::string body = row.text(first);
  if (row.integer(first + 1) != row_sum(body)) return std::nullopt;
  try {
    return task_of(body);
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::optional<Trial> trial_in(const Statement& row, int first, std::string_view task) {
  const std::string body = row.text(first);
  if (row.integer(first + 1) != row_sum(task, body)) return std::nullopt;
  try {
    Trial trial = trial_of(body);
    // The order of speed is the column's: it must be what the record says.
    if (row.real(first + 2) != (trial.time ? std::optional(trial.time->median_s) : std::nullopt))
      return std::nullopt;
    return trial;
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::optional<Note> note_in(const Statement& row, int first, std::string_view task) {
  const std::string body = row.text(first);
  if (row.integer(first + 1) != row_sum(task, body)) return std::nullopt;
  try {
    return note_of(body);
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace ardea::db
