#include <algorithm>
#include <functional>

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

namespace {

const Recipe* first(const std::function<bool(const Recipe&)>& fits) {
  const auto& all = recipes();
  const auto found = std::find_if(all.begin(), all.end(), fits);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

const Recipe* find_recipe(const ops::Workload& workload, const target::Target& target) {
  return first([&](const Recipe& r) { return r.serves(workload, target); });
}

const Recipe* find_prepacking_recipe(const ops::Workload& workload, const target::Target& target) {
  return first([&](const Recipe& r) { return r.apply_prepacked && r.serves(workload, target); });
}

}  // namespace ardea::recipes
