#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ardea/ops/registry.h"
#include "ardea/runtime/array.h"

namespace ardea::test {

/// The arguments of a workload: inputs drawn from the seed over the range of their types, an output full of a
/// value that is wrong.
std::vector<runtime::Array> arguments_for(const ops::Workload& w, std::uint64_t seed);

/// Copies with memory of their own.
std::vector<runtime::Array> copies(const std::vector<runtime::Array>& arrays);

/// Compares the last array, which a program made of the others, with the reference: integers exactly, floats
/// within the reference's error bound. "" or a sentence about the first difference.
std::string difference(const ops::Workload& w, const std::vector<runtime::Array>& arrays);

}  // namespace ardea::test
