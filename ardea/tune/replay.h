#pragma once

#include "ardea/db/database.h"
#include "ardea/tune/measurer.h"

/// A run of the tuner once more, without measuring: what its trials were is answered from their records.

namespace ardea::tune {

/// The trials of one run, in their order.
struct RecordedRun {
  std::string id, method;
  std::uint64_t seed = 0;
  std::vector<db::Trial> trials;    ///< that the strategy asked for
  std::vector<db::Trial> duelists;  ///< of the end, the winner among them
  std::vector<db::Trial> before;    ///< of the task, when the run began
};

/// The latest run of the task, of this method and seed where they are given. Error where there is none.
RecordedRun recorded_run(const db::Database& database, const db::Task& task, const std::string& method,
                         std::optional<std::uint64_t> seed, const std::string& id = {});

/// Error where another point is asked for than the run had at that place.
std::unique_ptr<Measurer> measured_before(RecordedRun run);

/// The method of trials that a duel timed and that did not win.
inline constexpr std::string_view in_duel = "in duel";

}  // namespace ardea::tune
