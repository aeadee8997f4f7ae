#pragma once

#include <cstdint>
#include <string>

namespace ardea::compile {

/// Kernels as machine code of one kind of GPU, and what the assembler says of the one that has most of each.
struct Cubin {
  std::string code;
  std::int64_t registers = 0;      ///< of a thread
  std::int64_t spilled_bytes = 0;  ///< that a thread's registers do not hold, written and read
};

/// CUDA C++ as codegen::cuda_source writes it → a cubin, by NVIDIA's NVRTC. It is loaded when it is first
/// needed, from where CUDA_HOME or CUDA_PATH point, the linker's own places, or /usr/local/cuda. Error, with
/// what to install, where it is not there, and with the compiler's complaints where it refuses the text.
/// Where the assembler spills registers to memory so that more blocks fit on a multiprocessor, kernels are
/// compiled for one block: they spill what does not fit into the registers of a block, and nothing else.
Cubin cubin_of(const std::string& source, const std::string& architecture, bool contract);

/// Why cubin_of cannot work here; empty where it can.
std::string why_no_nvrtc();

}  // namespace ardea::compile
