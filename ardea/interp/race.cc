#include "ardea/interp/race.h"

namespace ardea::interp {

namespace {

enum Class { latest, other_thread, other_warp, other_block };

std::int32_t warp_of(const Access& access) { return access.thread / threads_in_warp; }

}  // namespace

bool concurrent(const Access& a, const Access& b) {
  if (a.thread < 0 || b.thread < 0) return false;
  if (a.block != b.block) return true;  // no barrier joins blocks
  if (a.thread == b.thread || a.block_barriers != b.block_barriers) return false;
  return warp_of(a) != warp_of(b) || a.warp_barriers == b.warp_barriers;
}

void ByteHistory::remember_read(const Access& access) {
  const Access previous = readers_[latest];
  readers_[latest] = access;
  if (previous.thread < 0) return;
  if (previous.block != access.block) {
    readers_ = {access, {}, {}, previous};
  } else if (previous.block_barriers != access.block_barriers) {
    readers_[other_thread] = readers_[other_warp] = {};
  } else if (warp_of(previous) != warp_of(access)) {
    readers_[other_thread] = {};
    readers_[other_warp] = previous;
  } else if (previous.warp_barriers != access.warp_barriers) {
    readers_[other_thread] = {};
  } else if (previous.thread != access.thread) {
    readers_[other_thread] = previous;
  }
}

std::optional<Access> ByteHistory::read(const Access& access) {
  if (concurrent(writer_, access)) return writer_;
  remember_read(access);
  return std::nullopt;
}

std::optional<Access> ByteHistory::write(const Access& access) {
  if (concurrent(writer_, access)) return writer_;
  for (const Access& reader : readers_)
    if (concurrent(reader, access)) return reader;
  writer_ = access;
  return std::nullopt;
}

Shadow::Shadow(std::uint64_t launch, std::int64_t byte_count)
    : launch_(launch), pages_(static_cast<std::size_t>((byte_count + page_bytes - 1) / page_bytes)) {}

ByteHistory& Shadow::at(std::int64_t byte) {
  std::unique_ptr<Page>& page = pages_[static_cast<std::size_t>(byte / page_bytes)];
  if (!page) page = std::make_unique<Page>();
  return (*page)[static_cast<std::size_t>(byte % page_bytes)];
}

}  // namespace ardea::interp
