#pragma once

#include <cstddef>
#include <vector>

namespace ardea::search {

/// The places of the most important share of knobs, most important first: at least two, where there are.
std::vector<std::size_t> key_knobs(const std::vector<double>& importance, double share);

}  // namespace ardea::search
