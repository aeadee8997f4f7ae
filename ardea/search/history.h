#pragma once

#include <unordered_map>
#include <vector>

#include "ardea/search/ground.h"

namespace ardea::search {

/// What a strategy was told.
class History {
 public:
  /// Nothing of it counts where the point is none of the ground. Told twice, the later counts.
  void add(const Ground& ground, const cost::Known& result);

  /// How many points were told, timed or not.
  std::size_t size() const { return order_.size(); }
  std::size_t told_of(std::size_t sketch) const;
  /// The fastest so many, fastest first, and of no sketch more than `of_sketch`; of equals the one told
  /// first.
  std::vector<space::Choice> best(std::size_t count, std::size_t of_sketch = SIZE_MAX) const;
  /// ln(1 / seconds); nothing where it was not timed.
  std::optional<double> score(const space::Choice& choice) const;
  /// The greatest, of all and of a sketch; nothing where none was timed.
  std::optional<double> best_score() const;
  std::optional<double> best_score(std::size_t sketch) const;

 private:
  std::vector<space::Choice> order_;  ///< of being told
  std::unordered_map<space::Choice, std::optional<double>, HashOfChoice> scores_;
};

/// What share of new points each sketch gets: all alike at first; one whose fastest point stays behind the
/// fastest of all loses its share with each trial, by half for every `patience` trials at half the speed, and
/// never all of it. So a sketch dies out by what was seen of it, not by one bad point.
std::vector<double> shares_by(const History& history, std::size_t sketches, double patience);

}  // namespace ardea::search
