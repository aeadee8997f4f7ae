#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "ardea/schedule/program/path.h"

/// Memory that the iterations of a loop have for themselves, because lowering allocates it inside the loop.

namespace ardea::schedule {

/// Whether the iterations of a loop of that kind can have memory of their own. Lanes of a vector have none.
bool may_own_memory(ForKind kind);

/// What the loops of one program own. The same is asked of it for many loops, and again as the program before
/// the next step: where a buffer is allocated, which takes proofs, is found once.
class OwnMemory {
 public:
  OwnMemory() = default;
  explicit OwnMemory(Function program) : program_(std::move(program)) {}

  const Function& program() const { return program_; }
  /// The paths to the loops that may own memory.
  const std::vector<Path>& loops();
  /// Whether all uses of the buffer's memory are in the loop, one of `loops`: cheap, and the first condition
  /// of the next.
  bool is_used_in_alone(const Var& loop, const Buffer& buffer);
  /// Whether each iteration of the loop has the buffer for itself.
  bool has(const Var& loop, const Buffer& buffer);
  /// The buffers that each iteration of the loop at the end of the path has for itself.
  std::vector<Buffer> of(const Path& path);

 private:
  /// The loops, by their variables, that lowering allocates the buffer in.
  const std::vector<Var>& loops_around(const Buffer& buffer);

  Function program_;
  std::optional<std::vector<Path>> loops_;
  std::optional<std::vector<Path>> owners_;                         ///< to the blocks that allocate buffers
  std::optional<std::unordered_map<Var, std::vector<Var>>> users_;  ///< the loops around all uses of a memory
  std::unordered_map<Buffer, std::vector<Var>> around_;
};

/// The buffers that blocks around the path's last statement allocate.
std::vector<Buffer> allocated_around(const Path& path);

}  // namespace ardea::schedule
