#pragma once

#include <string>
#include <vector>

#include "ardea/compile/compile.h"

namespace ardea::compile {

/// As compile, by way of C: the C backend's source, compiled by this machine's C compiler (toolchain.h) and
/// loaded. Slower to build; what is shipped as source can be run and checked as what it is.
runtime::Module compile_by_c(const Module& m, const target::Target& target, const Options& options = {});
runtime::Function compile_by_c(const Function& f, const target::Target& target, const Options& options = {});

/// What a C compiler must be told to use the target's instructions: explicit features, since "native" misses
/// some (gcc on aarch64) and invents others (clang).
std::vector<std::string> machine_flags(const target::Target& target);

}  // namespace ardea::compile
