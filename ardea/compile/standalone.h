#pragma once

#include <string_view>

namespace ardea::compile::standalone {

// The text of the files in ardea/compile/standalone and of ardea/runtime/abi.h, workspace.c and
// loop_threads.c, put here by CMake.
extern const std::string_view preamble, abi, runtime, workspace, thread_pool, gpu, gpu_check, gpu_main;

}  // namespace ardea::compile::standalone
