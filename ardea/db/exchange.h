#pragma once

#include <iosfwd>

#include "ardea/db/database.h"

/// Databases as text: a line a trial, each with its own checksum.

namespace ardea::db {

/// All that is sound, and the lines of unknown versions as they came. How many rows were damaged and left
/// out.
std::int64_t export_lines(const Database& database, std::ostream& out);

struct Imported {
  std::int64_t added = 0, known = 0;
  std::int64_t foreign = 0;          ///< of these, kept as they are: another version's
  std::vector<std::string> refused;  ///< "line 7: …"
};
/// Takes every sound line; the others are told.
Imported import_lines(Database& database, std::istream& in);

}  // namespace ardea::db
