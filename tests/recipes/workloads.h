#pragma once

#include <vector>

#include "ardea/ops/registry.h"

namespace ardea::test {

/// The workloads that a recipe is tested on: for each operator that has recipes, sizes below, at and beside
/// those of tiles and vectors (ones, primes, powers of two and one more), small enough for the interpreter.
std::vector<ops::Workload> recipe_workloads();

}  // namespace ardea::test
