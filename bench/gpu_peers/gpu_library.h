#pragma once

#include "bench/peers/plugin.h"

/// What peers of NVIDIA's are loaded by. Types and numbers in them are those of their headers, which no
/// machine needs to have.

namespace peer {

/// The first version that can be opened: in CUDA_HOME, /usr/local/cuda, or where the linker looks. Refusal
/// where none.
void* open_library(const std::string& stem, const std::vector<std::string>& versions);
/// The driver that the program itself uses. Refusal where there is none.
void* open_driver();
/// Refusal where the library has none of that name.
void* found_symbol(void* library, const char* symbol);

template <class Function>
void find(void* library, Function& function, const char* symbol) {
  function = reinterpret_cast<Function>(found_symbol(library, symbol));
}

/// Memory of the GPU that such a library may use, kept until the process ends.
void* gpu_workspace(std::size_t bytes);

/// std::runtime_error where the status is one.
void require_done(int status, const char* call);

}  // namespace peer
