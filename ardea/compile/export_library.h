#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "ardea/compile/compile.h"
#include "ardea/compile/cuda_file.h"
#include "ardea/ir/function.h"
#include "ardea/target/target.h"

/// A program as files that others link: docs/linking.md.

namespace ardea::compile {

enum class LibraryFile {
  object,          ///< NAME.o: machine code with all that it needs, to link into a program
  shared_library,  ///< NAME.so: the same as a shared library, which runtime::load_module also takes
  source,          ///< NAME.c: the program as C11, with all that it needs in the one file
  header,          ///< NAME.h: how C and C++ call it
  cuda,            ///< NAME.cu, of a GPU: CUDA C++ with a main function that checks and times (cuda_file.h)
};

struct ExportOptions {
  /// Of the library and its files; empty: the module's, or its only function's. Letters, digits, '_', '-',
  /// '.'.
  std::string name = {};
  std::filesystem::path folder = {};
  /// Before the names of all C functions.
  std::string prefix = "ardea_";
  std::vector<LibraryFile> files = {LibraryFile::object, LibraryFile::shared_library, LibraryFile::source,
                                    LibraryFile::header};
  /// What NAME.cu compares with: of a program of one function.
  std::optional<HostReference> reference = {};
  Options build = {};
  /// Begins the sentences of Errors about the folder: how the user asked, such as "-o out".
  std::string request = {};
};

/// Writes the files asked for and the manifest NAME.json into the folder, which is made where it is not
/// there: all of them, or none and an Error. What was there under these names is replaced; the manifest comes
/// last. Object and shared library need a C compiler for the target's architecture (toolchain.h), of a GPU
/// for this machine's; source and header need none. Of a GPU all but the header need NVRTC. Gives the paths,
/// the manifest's last.
std::vector<std::filesystem::path> export_library(const Module& m, const target::Target& target,
                                                  const ExportOptions& options);

}  // namespace ardea::compile
