#pragma once

#include <string>
#include <vector>

#include "ardea/target/target.h"

/// Assembly as LLVM writes it, read back far enough to judge the loops over sums of products.

namespace ardea::tiles {

/// Instructions from one label to the next.
struct AssemblyBlock {
  std::string label;
  std::vector<std::string> instructions;

  /// Whether its last instructions branch back to its own label: a loop of one block.
  bool is_loop() const;
  /// How many fused multiply-adds it holds.
  int multiply_adds(target::Arch arch) const;
};

struct Assembly {
  std::vector<AssemblyBlock> blocks;
  bool has_frame_pointer = false;  ///< which then addresses the stack, as the stack pointer does
};

Assembly read_assembly(const std::string& text, target::Arch arch);

/// Whether the instruction has an operand in memory that is addressed from the stack.
bool touches_stack(const std::string& instruction, const Assembly& code, target::Arch arch);
bool is_store(const std::string& instruction, target::Arch arch);

}  // namespace ardea::tiles
