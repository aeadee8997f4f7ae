#include <algorithm>

#include "ardea/recipes/tables.h"

namespace ardea::recipes {

const std::vector<Recipe>& recipes() {
  static const std::vector<Recipe> all = [] {
    std::vector<Recipe> list;
    for (const auto& family : {product_recipes(), convolution_recipes(), row_recipes()})
      list.insert(list.end(), family.begin(), family.end());
    return list;
  }();
  return all;
}

const Recipe* find_recipe(const ops::Workload& workload, const target::Target& target) {
  const auto& all = recipes();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Recipe& r) { return r.serves(workload, target); });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace ardea::recipes
