#pragma once

#include <map>

#include "ardea/ops/registry.h"

/// Operators some of whose sizes only a call knows: a name in the place of a number, as in `gemm m,64,32`.
/// One name in two places is one size.

namespace ardea::ops {

struct OpenWorkload {
  Workload typical;                ///< with a number for each of them, where one is needed
  std::vector<std::string> names;  ///< of the operator's sizes, in its order; empty for a number
};

/// Whether a name stands in the place of a size.
bool has_open_sizes(const std::string& sizes);

/// Error, besides what make_workload has to say, where a size cannot be open: no array of a call would tell
/// it, or the operator's program is another one for another number.
OpenWorkload open_workload(Workload wanted, const std::string& sizes);

/// What it is in a call with these sizes; typical ones in the place of those that are not named.
Workload at_sizes(const OpenWorkload& w, const std::map<std::string, std::int64_t>& sizes);

/// The arguments in order: inputs, then the output.
std::vector<te::Tensor> build(const OpenWorkload& w);

/// build's arguments as a program of blocks.
Function create_function(const OpenWorkload& w, const std::string& name = "main");

}  // namespace ardea::ops
