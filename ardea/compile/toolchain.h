#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "ardea/target/target.h"

namespace ardea::compile {

/// A C compiler that makes code for one architecture.
struct CCompiler {
  std::string program;
  std::vector<std::string> arguments = {};  ///< before all others, such as --target=aarch64-linux-gnu

  std::string text() const;  ///< "clang --target=aarch64-linux-gnu"
};

/// What the environment variable ARDEA_CC names (words separated by spaces); else the first that works of cc,
/// gcc, clang, ARCH-linux-gnu-gcc and clang --target=ARCH-linux-gnu. Only compilers that make code for `arch`
/// count. Error, with the package to install, where there is none.
CCompiler find_c_compiler(target::Arch arch);

// Each of these runs in `folder`, over file names in it. Error with the compiler's first complaint.

struct CompileC {
  std::vector<std::string> flags = {};  ///< behind the usual ones
  int level = 2;                        ///< -O
  std::function<void(const std::string&)> note = {};
};

/// SOURCE (C11) → OBJECT, position-independent. Where the compiler itself fails (gcc 12 does at -O3 on some
/// loops), the next lower level is tried, and `note` told.
void compile_c(const CCompiler& compiler, const std::filesystem::path& folder, const std::string& source,
               const std::string& object, const CompileC& options = {});

/// OBJECTS → one relocatable object.
void combine_objects(const CCompiler& compiler, const std::filesystem::path& folder,
                     const std::vector<std::string>& objects, const std::string& combined);

/// OBJECTS → a shared library under its own name, with nothing left undefined beside the system's
/// `libraries`.
void link_library(const CCompiler& compiler, const std::filesystem::path& folder,
                  const std::vector<std::string>& objects, const std::string& library,
                  const std::vector<std::string>& libraries = {"-lpthread", "-lm"});

}  // namespace ardea::compile
