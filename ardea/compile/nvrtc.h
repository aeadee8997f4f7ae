#pragma once

#include <string>

namespace ardea::compile {

/// CUDA C++ as codegen::cuda_source writes it → the machine code of one kind of GPU (a cubin), by NVIDIA's
/// NVRTC. It is loaded when it is first needed, from where CUDA_HOME or CUDA_PATH point, the linker's own
/// places, or /usr/local/cuda. Error, with what to install, where it is not there, and with the compiler's
/// complaints where it refuses the text.
std::string cubin_of(const std::string& source, const std::string& architecture, bool contract);

/// Why cubin_of cannot work here; empty where it can.
std::string why_no_nvrtc();

}  // namespace ardea::compile
