#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ardea/ir/function.h"
#include "ardea/runtime/module.h"

/// C text through a C compiler, and into this process.

namespace ardea::test {

/// What every text must bear: all warnings, as errors.
std::vector<std::string> strict_flags();

/// With which undefined behaviour ends the process with a sentence; none where `cc` has no such sanitizer.
std::vector<std::string> sanitizer_flags();

/// The compilers that the text must satisfy: this machine's gcc and clang, those that there are.
std::vector<std::string> c_compilers();

/// Why the compiler refuses the text under strict_flags and `flags`; "" where it does not. (GCC notes that it
/// once passed wide vectors differently even where none is passed; a note is no warning.)
std::string complaints(const std::string& compiler, const std::string& text,
                       const std::vector<std::string>& flags);

/// The text as a shared library of this process, by `cc` with -O1 -ffp-contract=off and `flags`. The
/// library's calls of the runtime are this program's own. Fails the test, and gives nothing, where it does
/// not compile.
std::shared_ptr<void> loaded_library(const std::string& text, const std::vector<std::string>& flags = {});

/// The functions of that text in the library.
runtime::Module module_of(const std::string& module_name, const std::vector<Function>& functions,
                          const std::shared_ptr<void>& library);

}  // namespace ardea::test
