#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ardea/ir/function.h"
#include "ardea/target/target.h"

/// The programs that measure_peaks times for products by tensor instructions.

namespace ardea::compile {

/// Sums in registers to which one instruction adds again and again.
struct InstructionPeak {
  std::string name;             ///< of the machine's instruction, "vpdpbusd"
  std::string operands;         ///< of which type of operands this is a peak: "int8" or "bfloat16"
  Function program;             ///< peak(A, B, C, repeats), on each of several threads
  std::int64_t operations = 0;  ///< of one thread for one repeat
};

/// Those for which the target has instructions. Vectors are fed from the first cache, as in peak_product;
/// tiles are loaded once, because a loop that loads them is a sixth slower than the instruction.
std::vector<InstructionPeak> instruction_peaks(const target::Target& target, std::int64_t threads);

}  // namespace ardea::compile
