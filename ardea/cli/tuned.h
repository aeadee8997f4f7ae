#pragma once

#include <functional>
#include <string>

#include "ardea/db/database.h"

/// What several commands do with a database.

namespace ardea::cli {

/// Which one, and for whom.
struct Asked {
  std::string command;  ///< "db list": what sentences begin with
  std::string db = {};  ///< empty: the user's own
  bool json = false;
};

/// Error, with what makes one, where it is not there.
db::Database existing(const Asked& asked);

/// Its tasks; a note says how many are damaged.
db::Kept<db::KeptTask> told_tasks(const db::Database& database);
void note_damaged(const db::Database& database, std::int64_t damaged);

/// Writes the best of the tasks that are meant. Error where there is none: `whose` ends the sentence.
int answer_best(const Asked& asked, const std::function<bool(const db::Task&)>& is_meant,
                const std::string& whose);

}  // namespace ardea::cli
