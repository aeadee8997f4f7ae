#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ardea/db/database.h"
#include "ardea/ir/function.h"
#include "ardea/schedule/schedule.h"

/// What tuning found, for whoever wants to use it.

namespace ardea::tune {

/// The best that is known of a task.
struct Best {
  db::KeptTask task;
  db::Trial trial;  ///< timed
};

/// What a database says of a task, whatever names it has there: the program, the machine, the threads, the
/// compiler and the way of timing are what counts.
struct Lookup {
  std::optional<Best> best = {};
  /// Where there is none: what differs in the records of this program that there are, "for 2 threads".
  std::vector<std::string> others = {};
  std::set<int> threads = {};  ///< of these records
};
Lookup load_best(const db::Database& database, const db::Task& task);

/// The program after the steps of the record. Error where they are not steps of it (any more).
schedule::Schedule apply_best(const Function& program, const Best& best);

/// "trial 17 of 64 by cga, 5.31 ms (5.29 to 5.33)".
std::string describe(const Best& best);

/// "1 thread", "2 threads"; of a GPU "132 multiprocessors".
std::string threads_text(std::int64_t threads, bool on_gpu = false);
std::string threads_text(const db::Task& task);

}  // namespace ardea::tune
