#pragma once

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ardea/arith/analyzer.h"
#include "ardea/arith/known_variables.h"
#include "ardea/arith/polynomial.h"
#include "ardea/arith/shared_copy.h"

/// What a Reasoner knows and works with, beside the atoms (atom_table.h) and the answers (answers.h). All of
/// it is cheap to copy.

namespace ardea::arith {

/// Two products, coefficients included, that are equal; the left one is to be written as the right one.
struct EqualProducts {
  Term left, right;
};

/// The facts as they were understood.
struct Understood {
  KnownVariables variables = {};
  int next_order = 0;
  /// Conditions in force: each p >= 0.
  SharedCopy<std::vector<Polynomial>> assumptions = {};
  /// Those of them that say that two products are equal, once more.
  SharedCopy<std::vector<EqualProducts>> equal_products = {};
  /// Truth of conditions that are not comparisons.
  std::vector<std::pair<Expr, bool>> truths = {};
  /// Of polynomials without a constant.
  std::vector<std::pair<Polynomial, Congruence>> residues = {};
  std::int64_t price = 0;     ///< in steps
  bool has_given_up = false;  ///< on a condition that cost too much, and on all that came after it
};

/// A variable's range as ideal polynomials, where it has one.
struct Ends {
  std::optional<Polynomial> low, high;
};

/// What ranges freely, where bounds are asked for, and what follows for the rest.
struct Ranging {
  std::unordered_set<AtomId> variables = {};
  std::unordered_map<AtomId, bool> depends = {};
  std::map<std::pair<std::vector<std::int64_t>, bool>, std::optional<Polynomial>> extremes = {};
};

/// A question that is not answered yet.
struct OpenQuestion {
  AtomId id;
  std::int64_t number;  ///< no two have the same
};

/// What is being worked out, the innermost last: who comes back to it on the way gets what is known without
/// asking.
struct InProgress {
  static constexpr std::size_t nothing = std::numeric_limits<std::size_t>::max();

  std::vector<OpenQuestion> intervals = {};
  std::vector<AtomId> ends = {};
  std::int64_t asked = 0;          ///< how many questions there were
  std::size_t leant_on = nothing;  ///< the outermost of `intervals` that somebody came back to

  static bool holds(const std::vector<AtomId>& atoms, AtomId id) {
    return std::find(atoms.begin(), atoms.end(), id) != atoms.end();
  }
};

/// Bounds the work on conditions that share parts: how many were assumed on the way down, and how many more
/// the whole question may assume.
struct Contexts {
  static constexpr int most = 200;

  int nesting = 0;
  std::shared_ptr<int> left = std::make_shared<int>(most);
};

}  // namespace ardea::arith
