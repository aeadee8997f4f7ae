#pragma once

#include <filesystem>

#include "ardea/runtime/module.h"

namespace ardea::runtime {

/// The functions of a shared library that compile::export_library wrote, under the names that they have in
/// the program. They run on this process's thread pool, find its registered functions and report errors as
/// any Function does. The library stays open as long as the module or one of its functions. Error for a file
/// that cannot be read, is no shared library for this machine, or was not written by Ardea. Whether the
/// processor has what the code needs is the caller's to know: the manifest beside the library says it.
Module load_module(const std::filesystem::path& path);

}  // namespace ardea::runtime
