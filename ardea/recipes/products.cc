#include "ardea/recipes/gemm.h"
#include "ardea/recipes/tables.h"

namespace ardea::recipes {

std::vector<Recipe> product_recipes() {
  return {{.name = "gemm",
           .doc = "packed panels, and sums in a register tile",
           .serves = serves_gemm,
           .apply = schedule_gemm}};
}

}  // namespace ardea::recipes
