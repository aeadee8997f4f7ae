#pragma once

#include "ardea/search/strategy.h"

/// The methods, each of the file of its name.

namespace ardea::search {

Method random_method();
Method grid_method();
Method ga_method();
Method annealing_method();
Method cga_method();
Method evolution_method();

}  // namespace ardea::search
