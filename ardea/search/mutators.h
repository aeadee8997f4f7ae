#pragma once

#include <optional>
#include <vector>

#include "ardea/search/ground.h"

namespace ardea::search {

/// The decisions of a system, by what its constraints say of its knobs.
struct Decisions {
  /// Knobs whose product is a number: the parts of a split.
  std::vector<std::vector<space::Var>> splits;
  /// Other knobs that are multiplied, divided or compared with others: their values have an order that means
  /// something.
  std::vector<space::Var> sizes;
  /// All others: names of things, of which one is like another.
  std::vector<space::Var> categories;
};
/// Knobs that can have one value only are none.
Decisions decisions_of(const space::Solver& solver);

/// A factor moves from one part of a split to another; or a size takes a value near its own.
std::optional<space::Choice> mutate_tile(const Ground& ground, const Decisions& decisions,
                                         const space::Choice& from, Random& random);
/// A category, or where there is none any knob, is drawn again.
std::optional<space::Choice> mutate_category(const Ground& ground, const Decisions& decisions,
                                             const space::Choice& from, Random& random);

}  // namespace ardea::search
