#pragma once

#include "ardea/rules/sketch.h"
#include "ardea/space/solver.h"

namespace ardea::rules {

/// At most `most` solutions that cover the edges: each knob has its least and its largest value in one of
/// them, as far as that many can, and two are drawn by chance. The same for the same system.
std::vector<space::Point> witnesses(const space::Solver& solver, std::size_t most = 12);

/// A solution that was replayed.
struct Replayed {
  limits::Numbers numbers;            ///< of the knobs
  schedule::Schedule::History steps;  ///< with these numbers
};

/// Replays the sketch with each of them. What the sketch deferred, because it is not proved for all numbers,
/// is judged there. Error where one is refused, with its numbers, the reason, and the numbers of one that is
/// accepted: then a constraint is missing that tells the two apart, or a proof. The first steps of each point
/// that are those of `before`, in its place there, are not taken again.
std::vector<Replayed> judge_at(const Sketch& sketch, const std::vector<space::Point>& points,
                               const std::vector<Replayed>& before = {});

/// Judges a sketch at witnesses where it deferred questions; else at two points, for what no proof speaks of.
/// Gives the last two for sketches that begin as this one does. `before`: those of one that this one begins
/// as; of what both have, the two points then have the same numbers, where a solution has. A step is so tried
/// with the same numbers once.
std::vector<Replayed> judge(const Sketch& sketch, const space::Solver& solver,
                            const std::vector<Replayed>& before = {});

/// The knobs' values at a point: "i_0 = 4, i_1 = 3".
std::string to_string(const space::System& system, const space::Point& point);

}  // namespace ardea::rules
