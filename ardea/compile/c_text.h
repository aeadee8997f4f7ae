#pragma once

#include <string>
#include <vector>

#include "ardea/compile/c_interface.h"

/// The C text that stands around compiled functions: the header for the user, the functions that it declares,
/// and the runtime that they carry with them (ardea/compile/standalone).

namespace ardea::compile {

/// What a comment at the head of each file says.
struct Banner {
  std::string library;   ///< "gemm"
  std::string target;    ///< "avx2 (x86_64)"
  std::string features;  ///< that the processor must have: "avx2 fma"
};

/// NAME.h
std::string c_header(const Banner& banner, const std::vector<CFunction>& functions);

// A translation unit is c_declarations, then the kernels where they are C, then c_wrapper and c_runtime.

/// The binary interface (runtime/abi.h) and the entry points, all hidden: whoever defines them.
std::string c_declarations(const std::vector<CFunction>& functions);

/// The functions of the header: each describes its arguments as the packed entry point wants them and calls
/// it, so that every check exists once. Also the table that runtime::load_module reads.
std::string c_wrapper(const std::string& library, const std::vector<CFunction>& functions);

/// What kernels call: errors, memory, the host of the process; a thread pool where the program is parallel.
std::string c_runtime(bool parallel);

}  // namespace ardea::compile
