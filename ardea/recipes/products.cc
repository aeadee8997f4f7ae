#include "ardea/recipes/gemm.h"
#include "ardea/recipes/skinny.h"
#include "ardea/recipes/tables.h"

namespace ardea::recipes {

std::vector<Recipe> product_recipes() {
  return {{.name = "dots",
           .doc = "few rows along k: dot products in vectors of partial results",
           .serves = serves_dots,
           .apply = schedule_dots},
          {.name = "skinny",
           .doc = "few rows: the rows of B as they come out of memory, added to C in the nearest cache",
           .serves = serves_skinny,
           .apply = schedule_skinny},
          {.name = "gemm",
           .doc = "packed panels, and sums in a register tile",
           .serves = serves_gemm,
           .apply = schedule_gemm}};
}

}  // namespace ardea::recipes
