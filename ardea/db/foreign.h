#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ardea/db/record.h"

/// Records in the shape of other people's tuners, for tools that read those. Their readers see workload,
/// knobs and times; what they cannot hold (the program, the schedule, intervals) rides along where they do
/// not look, so that a record of ours comes back as it was. Records of theirs are kept whole and handed on.

namespace ardea::db {

enum class Shape : std::uint8_t {
  own,
  autotvm,  ///< a line with input, config and result; ours rides in a key of its own
  ansor,    ///< a line with i, r and v, whose reader refuses other keys; ours rides in a comment before it
};
/// Error, with the names that there are.
Shape shape_of(std::string_view name);

/// The lines for one of ours, each with its end.
std::string in_shape(Shape shape, const Task& task, const Trial& trial);
/// A line of ours that has no counterpart there, as a comment that their readers skip.
std::string as_comment(std::string_view line);

/// A line of a file in any shape.
struct ReadLine {
  /// ours: `line` is to be read by line_of. theirs: a record of theirs, kept in an envelope, `line`, which
  /// line_of takes for one of another version. repeated: theirs says what the comment before it has said.
  /// nothing: a remark.
  enum class Kind : std::uint8_t { ours, theirs, repeated, nothing } kind = Kind::ours;
  std::string line;
};
/// Keeps what it read last: one reader a file.
class ShapeReader {
 public:
  ReadLine read(std::string_view text);

 private:
  std::string last_comment_;
};

/// The record inside such an envelope as it came, where it is of that shape.
std::optional<std::string> out_of_envelope(Shape shape, std::string_view line);

}  // namespace ardea::db
