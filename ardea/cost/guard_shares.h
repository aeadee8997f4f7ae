#pragma once

#include <vector>

#include "ardea/cost/surroundings.h"

namespace ardea::cost {

/// A comparison that holds for what is visited, how often it does by itself, and the loops that it asks
/// about.
struct Guard {
  Formulas::Value share = 0;
  std::vector<Var> loops;
};

/// How often the conditions of a program hold.
class GuardShares {
 public:
  explicit GuardShares(Surroundings& surroundings);

  /// How often a condition on indices holds where the guards around do, as if its sides took their values
  /// equally often: exact where a loop was split, and its parts are asked for the end. Unknown where it reads
  /// memory. What holds with it is added to `found`.
  Formulas::Value share_of(const Expr& condition, std::vector<Guard>& found);

  /// Guards around what is visited next, until as many are left.
  void enter(const std::vector<Guard>& guards);
  void leave(std::size_t left) { guards_.resize(left); }
  std::size_t count() const { return guards_.size(); }

 private:
  using Value = Formulas::Value;

  /// The values that an index takes while the loops around run, where each loop moves it by itself: from the
  /// least to the greatest, as far apart as the loop that moves it least.
  struct Values {
    Value low, high, apart;
  };
  Values values_of(const Expr& e);
  Value share_of_both(const Expr& left, const Expr& right, std::vector<Guard>& found);
  Value share_of_comparison(const Binary& comparison, std::vector<Guard>& found);
  /// How many of the values, in relation to 0.
  Value share_of(BinaryOp relation, const Values& values);

  Surroundings& surroundings_;
  Formulas& f_;
  Value zero_, one_;
  std::vector<Guard> guards_;
};

}  // namespace ardea::cost
