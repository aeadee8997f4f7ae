#pragma once

#include <iosfwd>

#include "ardea/db/database.h"
#include "ardea/db/foreign.h"

/// Databases as text: a line a trial, each with its own checksum.

namespace ardea::db {

/// All that is sound, and the lines of unknown versions as they came. How many rows were damaged and left
/// out. In another shape than our own (foreign.h), records of that shape come out as they came in, and what
/// it has no place for is in comments.
std::int64_t export_lines(const Database& database, std::ostream& out, Shape shape = Shape::own);

struct Imported {
  std::int64_t added = 0, known = 0;
  std::int64_t foreign = 0;          ///< of these, kept as they are: another version's
  std::int64_t theirs = 0;           ///< and of these: of other tuners
  std::vector<std::string> refused;  ///< "line 7: …"
};
/// Takes every sound line, in whatever shape it is; the others are told.
Imported import_lines(Database& database, std::istream& in);

}  // namespace ardea::db
