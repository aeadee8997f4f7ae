#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "ardea/arith/reasoner.h"

namespace ardea::arith {

/// Which facts of a list a question needs: those of the variables that it names, the conditions that share a
/// variable with what is needed already, and the facts of the variables that all these name. No proof comes
/// upon any other: it uses a condition for an atom that it has, and then has the condition's atoms, too. Most
/// questions are asked again in other loops and for other parameters, under facts that differ in others
/// alone. Dropping a fact can make no answer wrong.
class NeededFacts {
 public:
  /// Of no facts.
  NeededFacts() = default;
  /// Of those of `older` and one more, before which they were `without` understood, and after it `with`.
  NeededFacts(const NeededFacts& older, const Facts& facts, const Reasoner& without, const Reasoner& with);

  /// Those of `facts`, whose list this is of and which `all` has understood: the same node where it needs all
  /// of them.
  std::shared_ptr<const Facts> among(const std::shared_ptr<const Facts>& facts, const Reasoner& all,
                                     const std::vector<Expr>& named);

 private:
  using Set = std::uint64_t;  ///< a bit for each fact, the oldest in the lowest one
  static constexpr std::size_t most = 64;
  struct Known {
    Set needs = 0;     ///< itself, and those of all that it names
    Set is_about = 0;  ///< of those the variables that may be in what was learnt: no ranges
    bool is_learnt = false;
    /// Also about memory, or a variable of which there is no fact: what shares that is not to be seen.
    bool is_about_others = false;
  };

  /// Those of the variables in e. Nothing where e is too large to look through.
  std::optional<Known> named_by(const Expr& e, const Reasoner& all) const;

  std::vector<Known> known_;  ///< of each fact
  Set always_ = 0;            ///< needed by every question
  /// Later facts may change what was understood of earlier ones, or there are too many: all are needed.
  bool are_apart_ = true;
  std::unordered_map<Set, std::shared_ptr<const Facts>> found_;
};

}  // namespace ardea::arith
