#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "ardea/space/engine.h"
#include "ardea/support/random.h"

namespace ardea::space {

using Deadline = std::optional<std::chrono::steady_clock::time_point>;

/// What a search may take. Work is counted in propagators run, so that the same question has the same answer
/// on every machine; a deadline is for those who would rather have no answer than a late one.
struct SearchLimits {
  std::uint64_t work = 2'000'000;
  Deadline deadline = std::nullopt;
};

enum class Answer { yes, no, undecided };

struct Found {
  Answer answer = Answer::undecided;
  Point point = {};  ///< where the answer is yes
};

/// Which of a knob's values is tried first, second, …
using ValueOrder = std::function<void(int variable, std::vector<std::int64_t>& values)>;

/// A solution that also meets the extra constraints (in canonical form), by complete search from the
/// propagated root: the knob with the fewest values left is next, its values in the given order. Nothing of
/// it stays behind, so that thousands of different questions can be put to one engine in a second.
Found find_solution(const Engine& engine, Engine::Scratch& scratch, std::span<const Constraint> extra,
                    const ValueOrder& order, const SearchLimits& limits = {});

/// Orders: shuffled, and by distance from a point (the smaller value first where two are equally far).
ValueOrder shuffled(Random& random);
ValueOrder nearest_to(const Point& point);

/// A solution one step away from a point.
struct Neighbour {
  Point point;
  Var moved;     ///< the knob that was given another value
  int repaired;  ///< how many other knobs had to change for it
};

/// The neighbours of a solution: for every knob and every other value that it can have, the solutions with
/// that value in which the fewest other knobs differ from the point, where that is at most `repairs`. A knob
/// that must change for it may take any value, so that for one move there may be several. In the order of
/// knobs and values.
std::vector<Neighbour> neighbours(const Engine& engine, const Point& point, int repairs = 1,
                                  const SearchLimits& limits = {});

}  // namespace ardea::space
