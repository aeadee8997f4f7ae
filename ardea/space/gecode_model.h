#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ardea/space/engine.h"
#include "ardea/support/random.h"

namespace ardea::space {

/// A number of any size: mantissa · 2^exponent. Products of many domain sizes, the same bits on every
/// machine.
struct Weight {
  double mantissa = 1;
  int exponent = 0;
  void multiply(std::uint64_t factor);
  /// As a double, in units of 2^unit.
  double in_units(int unit) const;
};

/// A system in Gecode, propagated once, from which random walks to solutions begin.
///
/// Gecode's integers have 32 bits, ours 60: a defined variable whose values do not fit, and each constraint
/// that Gecode cannot say in its numbers, is left out of the model (`relaxed()` names them). What is left out
/// makes the model larger, never smaller, and what a walk finds is checked by evaluate.h, so that only
/// solutions come out. Divisibility and products of listed variables are posted linearly over the exponents
/// of their primes.
class GecodeModel {
 public:
  /// `refusal` says why a system cannot be modelled at all (a knob beyond 32 bits).
  static std::optional<std::string> refusal(const Engine& engine);

  explicit GecodeModel(const Engine& engine);
  ~GecodeModel();
  GecodeModel(GecodeModel&&) noexcept;
  GecodeModel& operator=(GecodeModel&&) noexcept;

  /// A copy to walk from in another thread.
  GecodeModel clone() const;
  /// A copy with more constraints (in canonical form) posted and propagated; dropping it drops them.
  GecodeModel with(std::span<const Constraint> extra) const;

  /// Propagation alone found no solution to be left.
  bool failed() const;
  const std::vector<std::string>& relaxed() const { return *relaxed_; }

  struct Walk {
    Point point;
    Weight weight;  ///< the inverse of the walk's probability
  };
  /// One walk: every knob in turn takes one of its values left, each equally likely, until all are fixed.
  /// Nothing where it ends in a dead end.
  std::optional<Walk> walk(Random& random) const;

  /// All solutions, by Gecode's own depth-first search over the knobs: for tests, at most `most`.
  std::vector<Point> all(std::size_t most) const;

 private:
  struct Inside;
  GecodeModel() = default;
  const Engine* engine_ = nullptr;
  std::vector<Constraint> extra_;
  std::shared_ptr<std::vector<std::string>> relaxed_;
  std::unique_ptr<Inside> inside_;
};

}  // namespace ardea::space
