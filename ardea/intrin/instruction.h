#pragma once

#include <map>
#include <string>
#include <vector>

#include "ardea/ir/function.h"

namespace ardea::intrin {

/// A tensor instruction as data (DESIGN §6): what it computes, as a small program; what its operands need;
/// and how each backend says it.
struct Operand {
  /// Where the buffer must live: "global", "shared", "register", a unit's own; empty: anywhere. A tile
  /// ("amx.tile") is a register with a number, which stands in implementations for $ and the parameter's
  /// name.
  std::string scope;
  std::int64_t alignment_bytes = 1;  ///< of its first element
  /// Its first element is a multiple of this away from the beginning of its memory, as where memory is
  /// addressed by tiles and not by bytes.
  std::int64_t tile_bytes = 1;
  /// Each of its strides that is a parameter is a multiple of so many bytes, so that all its rows are
  /// aligned.
  std::int64_t stride_bytes = 1;
  /// Of a fragment, which the lanes of a warp hold together: registers of 32 bits that each lane has for a
  /// tile of `tile_bytes`. Implementations get their address. 0: it is no fragment.
  int lane_words = 0;
  /// Where several warps run an instruction together: what each of them names begins so many bytes behind
  /// what the warp before it does.
  std::int64_t warp_bytes = 0;
};

struct Instruction {
  std::string name;  ///< such as "test.dot4_i8"
  /// Parameters are buffers (with constant shapes; strides may be scalar parameters) and integers, in the
  /// order of the call T.tensor_instruction(name, address or integer, …). The body is the meaning; the
  /// interpreter runs it.
  Function meaning;
  std::vector<Operand> operands;  ///< one for each buffer parameter, in order
  std::string required_feature;   ///< of the target, such as "dotprod"; empty for none
  /// For each backend ("llvm", "c", "cuda") what to emit, as that backend defines it
  /// (docs/tensor_instructions.md); absent where it expands `meaning`.
  std::map<std::string, std::string> implementations;
  /// How the machine's answers may differ from the meaning's, in a sentence; empty: they have its bits.
  std::string rounding = {};
  /// Cycles from one to the next on a unit of its own; 0: it runs where vectors are multiplied, as many a
  /// cycle as those (target::Core).
  double cycles = 0;
  /// So many neighbouring warps run it together; the meaning is what one of them does.
  int warps = 1;
  /// The record of the same on memory whose rows lie swizzled, which lowering puts in its place where they do
  /// (docs/tensor_instructions.md); empty: rows lie as the program names them.
  std::string on_swizzled_rows = {};

  /// Whether all lanes of a warp run it together: one of its operands is a fragment.
  bool is_of_warp() const;
};

/// Adds a record; Error where the name is taken, or the meaning does not verify.
void register_instruction(Instruction instruction);
/// The record of that name; Error with the nearest names where there is none.
const Instruction& find_instruction(const std::string& name);
std::vector<std::string> instruction_names();

}  // namespace ardea::intrin
