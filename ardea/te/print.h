#pragma once

#include <string>
#include <vector>

#include "ardea/te/tensor.h"

namespace ardea::te {

/// The operations that the tensors need as the seeds write them: one `X = te.compute(…)` a line, inputs
/// first. For reading: there is no parser for it.
std::string print(const std::vector<Tensor>& wanted);

}  // namespace ardea::te
