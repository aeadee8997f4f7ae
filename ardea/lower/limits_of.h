#pragma once

#include "ardea/limits/footprints.h"
#include "ardea/limits/limits.h"

namespace ardea::lower {

/// f after the passes that decide where memory stands: loops and allocations, no blocks.
Function placed(const Function& f, const target::Target& target);

/// What a program of blocks takes of the machine: what lowering will find, asked before it rewrites anything,
/// also of a program whose factors are parameters.
limits::Limits limits_of(const Function& f, const target::Target& target);

/// What its nests touch of the memory that caches hold.
std::vector<limits::Footprint> footprints_of(const Function& f, const target::Target& target);

}  // namespace ardea::lower
