#pragma once

#include <optional>
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

/// What stands against the numbers, without the system's constraints: a step that is refused, more than the
/// machine has, a program that cannot be lowered. Empty where nothing does.
std::string fault_of(const Sketch& sketch, const space::Point& point, const target::Target& target);

/// The system without the constraints of these names.
space::System without(const space::System& system, const std::vector<std::string>& names);

/// A solution that is the same program as the point, which breaks only what Sketch::kept names, or the same
/// but for iterations of the point's that give no result; nothing where none is near.
std::optional<space::Point> twin_of(const Sketch& sketch, const space::Point& point,
                                    const target::Target& target);

/// Tuples of the knobs' values are tried by hand, all of them or as many as are asked for, drawn from the
/// seed. Fails the test where one is valid and no solution, or the other way round; one that only breaks what
/// the sketch is kept to must have a twin, or be refused.
struct Tried {
  int valid = 0, all = 0, twins = 0;
};
/// So many, or all of them with ARDEA_TUPLES=all in the environment (`make tuples`).
std::optional<int> tuples_to_try(int usual);
Tried expect_nothing_lost(const Sketch& sketch, const target::Target& target,
                          std::optional<int> most = std::nullopt, std::uint64_t seed = 1);

}  // namespace ardea::rules
