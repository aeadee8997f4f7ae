#pragma once

#include <vector>

#include "ardea/support/random.h"

namespace ardea::search {

/// The place of one of the weights (none below 0), each as likely as it is large; all alike where none is
/// above 0. There must be one.
std::size_t roulette(const std::vector<double>& weights, Random& random);

/// Weights of scores (logarithms of speed): (speed / greatest speed)^(1 / temperature), so that at
/// temperature 1 a point that is twice as fast is twice as likely, and below it more.
std::vector<double> weights_of(const std::vector<double>& scores, double temperature = 1);

}  // namespace ardea::search
