#pragma once

#include "ardea/recipes/recipe.h"

/// The recipes by family, as recipes() joins them.

namespace ardea::recipes {

/// The steps of a recipe that packs weights, as the table has them.
template <auto steps, Packing packing>
void packing_weights(schedule::Schedule& s, const ops::Workload& workload, const target::Target& target) {
  steps(s, workload, target, packing);
}

std::vector<Recipe> product_recipes();
std::vector<Recipe> row_recipes();
std::vector<Recipe> convolution_recipes();

}  // namespace ardea::recipes
