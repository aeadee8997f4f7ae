#pragma once

#include "ardea/schedule/argument.h"
#include "ardea/schedule/outcome.h"

namespace ardea::schedule {

/// A buffer of a part of the program: by its name, or by its place among the regions that the part reads or
/// writes, ("read", 0).
struct BufferArgument {
  std::string name;  ///< or "read", "write" where there is a position
  std::int64_t position = -1;

  BufferArgument() = default;
  BufferArgument(std::string of_that_name) : name(std::move(of_that_name)) {}  // implicit: names are common
  BufferArgument(const char* of_that_name) : name(of_that_name) {}
  BufferArgument(std::string read_or_write, std::int64_t at) : name(std::move(read_or_write)), position(at) {}
};

template <>
struct Convert<BufferArgument> {
  static std::string expected() { return R"(the name of a buffer, ("read", i) or ("write", i))"; }
  static Argument to(const BufferArgument& buffer);
  static std::optional<BufferArgument> from(const Argument& argument);
};

/// The buffer among those that `part` ("block C") reads and writes. Refused as no_such_buffer.
Result<Buffer> find_buffer(const BufferArgument& wanted, const std::vector<BufferRegion>& reads,
                           const std::vector<BufferRegion>& writes, const std::string& part);

}  // namespace ardea::schedule
