#pragma once

#include <optional>
#include <vector>

#include "ardea/search/ground.h"

/// How one point becomes another. Every move ends in a solution of the sketch that meets the question's
/// constraints: the solver completes what the move decides.

namespace ardea::search {

/// The knob takes this value.
space::Constraint takes(space::Var knob, std::int64_t value);
/// A value of a set, each equally likely; another than `except` (there must be one).
std::int64_t any_of(const space::Domain& domain, Random& random);
std::int64_t other_than(const space::Domain& domain, std::int64_t except, Random& random);

/// Heron's crossover: every key knob but one, which is the mutation, takes the value of one of the parents
/// (of the same sketch); all else is as the solver finds it by chance. `keys` are places in the list of the
/// system's knobs.
std::optional<space::Choice> crossover(const Ground& ground, const space::Choice& a, const space::Choice& b,
                                       const std::vector<std::size_t>& keys, Random& random);

/// A random neighbour: one knob takes another value, and at most one other, which is tried by chance, changes
/// for it; where a few of those are not enough, as many as must.
std::optional<space::Choice> step(const Ground& ground, const space::Choice& from, Random& random);

}  // namespace ardea::search
