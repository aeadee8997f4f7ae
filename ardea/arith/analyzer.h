#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "ardea/ir/function.h"

/// What is known about integers, and what follows from it. Numbers and positive integer parameters (symbolic
/// shapes, the factors of a template) are treated alike, so that nothing is written twice.

namespace ardea::arith {

struct Facts;  // facts.h

enum class Proof { proved, refuted, unknown };

/// Least and greatest value; an absent side is unbounded. Over-approximates, and says nothing about vectors'
/// lanes in order: for a vector the bounds hold for every lane.
struct ConstantBounds {
  std::optional<std::int64_t> low, high;
};

/// The same with expressions over parameters and unbound variables: low <= e <= high.
struct SymbolicBounds {
  Expr low, high;  ///< empty where unbounded
};

/// e = multiple · integer + remainder, 0 <= remainder < multiple; multiple 0 means e is the constant
/// `remainder`.
struct Congruence {
  std::int64_t multiple = 1, remainder = 0;
};

/// The facts in force. Cheap to copy (the facts are shared): a pass hands a copy with one more loop to the
/// body.
class Analyzer {
 public:
  Analyzer();
  Analyzer(const Analyzer&);
  Analyzer& operator=(const Analyzer&);
  ~Analyzer();

  /// var ∈ [range.min, range.min + range.extent); the extent may be symbolic and is then positive wherever
  /// the variable exists (a loop that runs no iteration gives its body no value to be wrong about).
  void bind(const Var& var, const Range& range);
  /// A positive integer: a symbolic extent or a factor. At least `least`, and a multiple of `divisor`.
  void parameter(const Var& var, std::int64_t least = 1, std::int64_t divisor = 1);
  /// var = value from here on (a let).
  void define(const Var& var, const Expr& value);
  /// var was read from memory: what is computed with it may wrap, unlike index arithmetic (README.md).
  void data(const Var& var);
  /// A condition that holds from here on: comparisons and their conjunctions are used, the rest is ignored.
  void assume(const Expr& condition);

  /// The same value wherever the facts hold, in normal form; idempotent. Works on every expression: the
  /// integer parts are normalised, floats are only folded where the result is bit-equal.
  Expr simplify(const Expr& e) const;

  /// Three answers, never two.
  Proof prove(const Expr& condition) const;
  bool proves(const Expr& condition) const { return prove(condition) == Proof::proved; }

  ConstantBounds constant_bounds(const Expr& e) const;
  /// Bounds of e when every bound variable in it ranges freely; what is left are parameters and unbound
  /// variables.
  SymbolicBounds bounds(const Expr& e) const;
  /// The same, but only `variables` range; the other variables stay in the result.
  SymbolicBounds bounds(const Expr& e, const std::vector<Var>& variables) const;
  Congruence congruence(const Expr& e) const;

  /// For the other files of this folder.
  const std::shared_ptr<const Facts>& facts() const { return facts_; }

  /// The range given by bind, if any.
  std::optional<Range> range_of(const Var& var) const;

 private:
  std::shared_ptr<const Facts> facts_;
};

/// simplify with no facts but the ranges of loops and lets that s itself defines. Removes loops of no
/// iteration, replaces a loop of one iteration by its body where `drop_unit_loops`, folds decided conditions.
/// What `shortcut` gives for an expression is taken without asking the facts.
using Shortcut = std::function<std::optional<Expr>(const Expr&)>;
Stmt simplify(const Stmt& s, const Analyzer& facts = {}, bool drop_unit_loops = false,
              const Shortcut& shortcut = {});

/// The facts that hold in the body of f: its assumptions; its symbolic extents, and scalar parameters that
/// are extents of arrays or assumed to be positive, are positive parameters.
Analyzer facts_of(const Function& f);

}  // namespace ardea::arith
