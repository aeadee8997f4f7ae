#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "ardea/ir/function.h"
#include "ardea/lower/gpu/kernel_boxes.h"
#include "ardea/lower/gpu/launch.h"
#include "ardea/target/target.h"

/// The host and the device part of a lowered program: one kernel a launch, and how each is launched.

namespace ardea::lower {

/// Memory of a block: where in its dynamic shared memory. What is needed one after the other
/// (shared_memory.h) may lie in the same bytes.
struct SharedBuffer {
  Allocate allocation;  ///< without its body
  std::int64_t first_byte = 0;

  std::int64_t end_byte() const;
};

struct Kernel {
  std::string name;
  /// What it is called with, in this order: arrays by their data handles, then numbers. The same variables as
  /// on the host.
  std::vector<Var> arguments;
  Launch launch;  ///< without the allocations of shared memory
  std::vector<SharedBuffer> shared;
  std::int64_t shared_bytes = 0;
  /// What a unit copies boxes of: an argument each behind the others. Their landings lie in shared memory.
  std::vector<BoxedArray> boxes;
  std::int64_t landings_first_byte = 0;
  /// x, y, z; extents of blocks may depend on the arguments.
  std::array<Expr, 3> grid, block;
  /// May begin before the kernels before it have ended, and waits for them before it touches arrays.
  bool begins_early = false;
  bool calls_next = false;  ///< has the next kernel begin as soon as all its own blocks run
  /// Arrays that a kernel before it touches, too, where one of both writes: not before that wait.
  std::unordered_set<Var> awaited;
};

struct SplitProgram {
  /// Where a launch stood, T.call_registered calls the kernel of that name with its arguments.
  Function host;
  std::vector<Kernel> kernels;
};

/// Of a function as the passes for GPUs leave it. Error where a block needs more shared memory than the
/// target has, or a grid has more blocks along an axis than CUDA counts.
SplitProgram split_kernels(const Function& lowered, const target::Target& target);

}  // namespace ardea::lower
