#pragma once

#include <string>
#include <vector>

#include "ardea/compile/c_interface.h"
#include "ardea/runtime/cuda/launcher.h"

/// The C text that stands around compiled functions: the header for the user, the functions that it declares,
/// and the runtime that they carry with them (ardea/compile/standalone).

namespace ardea::compile {

/// What a comment at the head of each file says.
struct Banner {
  std::string library;   ///< "gemm"
  std::string target;    ///< "avx2 (x86_64)"
  std::string features;  ///< that the processor must have: "avx2 fma"
  bool on_gpu = false;
};

/// NAME.h
std::string c_header(const Banner& banner, const std::vector<CFunction>& functions);

// A translation unit is c_declarations, then the kernels where they are C, then c_wrapper and c_runtime.

/// The binary interface (runtime/abi.h) and the entry points, all hidden: whoever defines them.
std::string c_declarations(const std::vector<CFunction>& functions);

/// The functions of the header: each describes its arguments as the packed entry point wants them and calls
/// it, so that every check exists once. Also the table that runtime::load_module reads.
std::string c_wrapper(const std::string& library, const std::vector<CFunction>& functions);

// Of a GPU: c_declarations, gpu_runtime, gpu_code of each function, the host's parts as C, whose calls of
// registered functions go to gpu_runtime's, then c_wrapper and c_runtime.

/// The driver, and what runs a call on it.
std::string gpu_runtime();
/// The kernels of a function, compiled, and how they are launched.
std::string gpu_code(const CFunction& f, const std::vector<runtime::cuda::KernelPlan>& kernels,
                     const std::string& cubin, const std::string& architecture);
std::string gpu_code_name(const CFunction& f);

/// What kernels call: errors, memory, the host of the process; a thread pool where the program is parallel.
std::string c_runtime(bool parallel);

}  // namespace ardea::compile
