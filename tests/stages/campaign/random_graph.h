#pragma once

#include "ardea/support/random.h"
#include "ardea/te/tensor.h"

namespace ardea::stages {

/// A random graph of tensor expressions: maps, sums and extremes, tuples, windows, padded and transposed
/// reads, scans. It cannot make axes whose extents depend on other axes: tensor expressions have none.
struct RandomGraph {
  std::vector<te::Tensor> inputs;
  std::vector<te::Tensor> stages;   ///< everything that is computed, cells of scans and first steps included
  std::vector<te::Tensor> outputs;  ///< what is wanted: the last one, and what nobody reads
};

RandomGraph random_graph(Random& random);

}  // namespace ardea::stages
