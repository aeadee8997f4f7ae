#pragma once

#include <optional>
#include <unordered_set>
#include <vector>

#include "ardea/search/strategy.h"
#include "ardea/support/random.h"

namespace ardea::search {

struct HashOfChoice {
  std::size_t operator()(const space::Choice& choice) const;
};
using Choices = std::unordered_set<space::Choice, HashOfChoice>;

/// Where strategies search: the sketches of a setting under its constraints and those of the question that is
/// open, without the points that are asked for or known already.
class Ground {
 public:
  explicit Ground(const Setting& setting);

  std::size_t sketches() const { return solvers_.size(); }
  const space::Solver& solver(std::size_t sketch) const { return *solvers_[sketch]; }
  const space::System& system(std::size_t sketch) const { return solvers_[sketch]->system(); }
  /// Of the setting and the question.
  const std::vector<space::Constraint>& extra(std::size_t sketch) const { return extra_[sketch]; }

  /// From now on the constraints of this question hold, and those of the one before do not.
  void open(const Extra& question);
  const Extra& question() const { return question_; }

  /// Whether it is a point of a sketch at all; whether it also meets all constraints.
  bool is_point(const space::Choice& choice) const;
  bool contains(const space::Choice& choice) const;
  bool is_new(const space::Choice& choice) const { return !known_.contains(choice); }
  /// Never drawn from now on.
  void mark(const space::Choice& choice);
  std::size_t known(std::size_t sketch) const { return known_of_[sketch]; }

  /// How many of each sketch are drawn.
  enum class Shares {
    by_chance,  ///< each point's sketch is drawn by weight
    even,       ///< as near to the weights as whole numbers are
  };
  /// Points that are new and differ from each other, uniform within their sketch, sketches by weight (empty:
  /// all alike). Fewer only where no more can be found.
  std::vector<space::Choice> draw(std::size_t count, Random& random, Shares shares = Shares::by_chance,
                                  std::vector<double> weights = {}) const;

  /// A point that also meets these constraints, or nothing where none was found: by chance, or near to
  /// another.
  std::optional<space::Choice> solve(std::size_t sketch, const std::vector<space::Constraint>& more,
                                     Random& random) const;
  std::optional<space::Choice> nearest(const space::Choice& wished,
                                       const std::vector<space::Constraint>& more = {}) const;

 private:
  class Drawing;

  std::vector<const space::Solver*> solvers_;
  Extra lasting_, question_, extra_;
  Choices known_;
  std::vector<std::vector<space::Point>> points_of_;  ///< known, by sketch, in the order of becoming known
  std::vector<std::size_t> known_of_;
};

}  // namespace ardea::search
