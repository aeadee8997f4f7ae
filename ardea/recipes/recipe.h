#pragma once

#include <string>
#include <vector>

#include "ardea/ops/registry.h"
#include "ardea/schedule/schedule.h"
#include "ardea/target/target.h"

/// Schedules written by hand as functions of the workload and the machine: what runs where nothing is tuned
/// yet.

namespace ardea::rules {}

namespace ardea::recipes {

using namespace rules;  // whose models recipes use

/// Where a recipe packs the weights: the right operand of a product, the kernel of a convolution, which is
/// the second parameter.
enum class Packing {
  in_nest,  ///< inside the nest, where that pays, as a part of each call
  ahead,    ///< before all else, by a block of its own at the root, for schedule::separate_packing
};

struct Recipe {
  std::string name;
  std::string doc;  ///< one line
  /// Whether the recipe is made for this workload on this target. Then `apply` succeeds.
  bool (*serves)(const ops::Workload& workload, const target::Target& target);
  /// Takes the steps on the workload's program, as ops::create_function makes it. All numbers follow from the
  /// sizes and from the target record.
  void (*apply)(schedule::Schedule& s, const ops::Workload& workload, const target::Target& target);
  /// The same with the weights packed ahead. Null where the recipe reads weights as they lie, or has none.
  void (*apply_prepacked)(schedule::Schedule& s, const ops::Workload& workload,
                          const target::Target& target) = nullptr;
};

/// All of them; of those that serve a workload the first is taken.
const std::vector<Recipe>& recipes();

/// Null where no recipe serves the workload on this target: then the plain program runs.
const Recipe* find_recipe(const ops::Workload& workload, const target::Target& target);

/// The first that serves the workload and packs its weights ahead; null where none does.
const Recipe* find_prepacking_recipe(const ops::Workload& workload, const target::Target& target);

}  // namespace ardea::recipes
