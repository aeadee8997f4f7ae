#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "ardea/ir/stmt.h"

namespace ardea::interp {

inline constexpr int threads_in_warp = 32;

/// Who touched a byte, and between which barriers. All threads of a block (of a warp) have passed the same
/// number of its barriers whenever one of them runs, so two numbers place an access in time.
struct Access {
  std::int32_t thread = -1;  ///< in its block; -1: nobody
  std::int32_t block = 0;
  std::uint32_t block_barriers = 0, warp_barriers = 0;
  const Stmt* statement = nullptr;
};

/// Whether nothing orders the two: different threads, no barrier of both between them.
bool concurrent(const Access& a, const Access& b);

/// The history of one byte in a launch, as much of it as later conflicts need.
class ByteHistory {
 public:
  /// An earlier access that conflicts with this one, else the access is remembered.
  std::optional<Access> read(const Access& access);
  std::optional<Access> write(const Access& access);

 private:
  void remember_read(const Access& access);

  Access writer_;
  /// Readers enough to find a conflict for every writer that has one: the latest; then one of another thread
  /// of its warp, of another warp and of another block, each unordered with the latest.
  std::array<Access, 4> readers_;
};

/// The histories of an allocation's bytes, made as they are touched. `launch` tells them from those of an
/// earlier launch.
class Shadow {
 public:
  Shadow(std::uint64_t launch, std::int64_t byte_count);
  std::uint64_t launch() const { return launch_; }
  ByteHistory& at(std::int64_t byte);

 private:
  static constexpr std::int64_t page_bytes = 64;
  using Page = std::array<ByteHistory, page_bytes>;
  std::uint64_t launch_;
  std::vector<std::unique_ptr<Page>> pages_;
};

}  // namespace ardea::interp
