#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/random/program_state.h"

/// The loops around a block, and how its iterators follow from them.

namespace ardea::random_programs {

struct IteratorSpec {
  std::string name;
  Axis axis;
  IteratorKind kind = IteratorKind::spatial;
};

using BlockBody = std::function<void(BlockBuilder&, const std::vector<Var>&)>;

/// A block over `iterators` inside loops that give each of their values once: plain loops, splits (with a
/// guard where the factor does not divide), fused pairs, shifted starts, in any legal order and of any legal
/// kind.
void block_in_loops(ProgramState& state, const std::string& name, const std::vector<IteratorSpec>& iterators,
                    const BlockBody& body);

/// Spatial iterators v0, v1, … over the axes.
std::vector<IteratorSpec> spatial_iterators(const std::vector<Axis>& axes);

/// What the iterators offer to index with, in the order of `iterators`.
Scope scope_of(const std::vector<IteratorSpec>& iterators, const std::vector<Var>& vars);

}  // namespace ardea::random_programs
