#pragma once

#include "ardea/schedule/context.h"
#include "ardea/schedule/primitives/memory/copy_block.h"
#include "ardea/schedule/program/touches.h"

/// Where a block that writes other memory instead of a buffer can hand its results over to the buffer.

namespace ardea::schedule {

/// A block, and a buffer that it writes.
struct Writer {
  Path block;
  Path scope;  ///< to the block around it
  Buffer buffer;
  std::vector<Touch> touches;  ///< of the buffer, in the scope
  std::string name;            ///< of the buffer, in messages
};

/// Refused as
///   buffer_is_viewed (the block uses a view, a matched part or an address, or the buffer is a view that is
///   declared in the scope), read_in_binding (its bindings or predicate read the buffer).
Result<Writer> writer_of(const Path& block, const Buffer& buffer);

/// After which statement the results are handed over, and which elements these are.
struct WritePlace {
  Path path;
  BufferRegion box;  ///< every element of it is written in each run of the statement, and nothing else
};

/// The outermost statement around the block in which nothing else touches the buffer, and whose every run
/// fills a box and reads only of what it has written. Refused as
///   reads_old_content, init_is_not_first, writes_only_part.
Result<WritePlace> write_place(const Function& f, const Writer& writer, Context& context);

/// Blocks that shall read the new memory. Refused where one is not in the scope (not_in_one_scope), does not
/// read the buffer (not_a_consumer), uses it otherwise than by plain loads (buffer_is_viewed), does not stand
/// beside the place and after it (consumer_elsewhere), reads what something else has written
/// (written_between) or more than the box (reads_more_than_written).
Result<std::vector<BlockId>> readers_after(const Function& f, const Writer& writer, const WritePlace& place,
                                           const std::vector<BlockRef>& consumers);

}  // namespace ardea::schedule
