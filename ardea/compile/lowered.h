#pragma once

#include <vector>

#include "ardea/codegen/options.h"
#include "ardea/compile/compile.h"

/// What all ways of compiling begin with.

namespace ardea::compile {

codegen::Options codegen_options(const Options& options);

/// Verified and lowered, with the notes told.
std::vector<Function> lowered_for(const Module& m, const target::Target& target, const Options& options);

/// Error for a target that is no GPU.
void require_gpu(const target::Target& target);

}  // namespace ardea::compile
