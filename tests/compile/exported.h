#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "ardea/compile/export_library.h"
#include "ardea/support/subprocess.h"
#include "tests/support/folder.h"

namespace ardea::test {

/// The program's library in the folder, for this machine.
std::vector<std::filesystem::path> export_text(const std::string& text, const Folder& folder,
                                               compile::ExportOptions options = {});

/// A strict C compiler for this machine, with nothing of Ardea on any path, run in the folder: the arguments,
/// and the result.
ProcessResult strict_c(const Folder& folder, std::vector<std::string> arguments);

/// Runs folder/program.
ProcessResult run_program(const Folder& folder, const std::string& program,
                          const std::map<std::string, std::string>& environment = {});

/// Compiles main.c of the folder with `others` (sources, objects, libraries) and runs it: what it printed, or
/// how it failed.
std::string built_and_run(const Folder& folder, const std::vector<std::string>& others,
                          const std::map<std::string, std::string>& environment = {});

}  // namespace ardea::test
