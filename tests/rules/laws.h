#pragma once

#include <vector>

#include "ardea/ir/function.h"
#include "ardea/rules/sketch.h"

/// What every sketch is held to.

namespace ardea::rules {

/// All of them: for systems with few.
std::vector<space::Point> solutions_of(const space::System& system);

/// The numbers of the point, in words.
std::string in_words(const Sketch& sketch, const space::Point& point);

/// The program of the point, by hand. Fails the test where the symbolic program with its numbers is another
/// one.
Function replayed_by_the_law(const Sketch& sketch, const space::Point& point);

/// Whether the numbers apply and what they make fits the machine: without the system's constraints.
bool is_valid(const Sketch& sketch, const space::Point& point, const target::Target& target);

/// Every tuple of the knobs' values is tried: fails the test where one is valid and no solution, or the other
/// way round. So many tuples were valid, and so many tried.
struct Tried {
  int valid = 0, all = 0;
};
Tried expect_nothing_lost(const Sketch& sketch, const target::Target& target);

}  // namespace ardea::rules
