#include "ardea/recipes/elementwise.h"
#include "ardea/recipes/rows.h"
#include "ardea/recipes/tables.h"

namespace ardea::recipes {

std::vector<Recipe> row_recipes() {
  return {{.name = "rows",
           .doc = "one row after the other, sums in vectors of partial results",
           .serves = serves_rows,
           .apply = schedule_rows},
          {.name = "elementwise",
           .doc = "one element at a time, in vectors",
           .serves = serves_elementwise,
           .apply = schedule_elementwise}};
}

}  // namespace ardea::recipes
