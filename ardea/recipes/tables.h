#pragma once

#include "ardea/recipes/recipe.h"

/// The recipes by family, as recipes() joins them.

namespace ardea::recipes {

std::vector<Recipe> product_recipes();
std::vector<Recipe> row_recipes();
std::vector<Recipe> convolution_recipes();

}  // namespace ardea::recipes
