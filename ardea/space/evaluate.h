#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "ardea/space/system.h"

/// What the constraint language means, by plain evaluation: every solver is tested against this file.

namespace ardea::space {

/// Whether the condition, body or constraint holds at a point. A constraint with a false guard holds.
bool holds(const Condition& condition, const Point& point);
bool holds(const Body& body, const Point& point);
bool holds(const Constraint& constraint, const Point& point);

/// The value that a body gives its result, or nothing where it has none: a division by 0, an index without a
/// choice, a value beyond ±largest_value, or a body that computes nothing.
std::optional<std::int64_t> value_of(const Body& body, const Point& point);

/// The values of all variables from those of the point's knobs (its other places are ignored), or nothing
/// where a definition has no value. Domains and constraints are not looked at.
std::optional<Point> complete(const System& system, Point point);
/// The same from the knobs' values alone, in the order of `system.knobs()`.
std::optional<Point> complete_knobs(const System& system, const std::vector<std::int64_t>& knob_values);

/// Every value in its domain, and every constraint holds.
bool is_solution(const System& system, const Point& point);

/// Calls `visit` with every solution, knobs in ascending order, the last one fastest, by trying all tuples of
/// knob values: for small systems. An Error where they are more than `most`.
void for_each_solution(const System& system, const std::function<void(const Point&)>& visit,
                       std::uint64_t most = 20'000'000);

}  // namespace ardea::space
