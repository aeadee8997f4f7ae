#pragma once

#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "ardea/arith/polynomial.h"
#include "ardea/arith/shared_copy.h"
#include "ardea/ir/expr.h"

/// What polynomials are made of.

namespace ardea::arith {

enum class AtomKind {
  variable,
  lane,       ///< 0, 1, …, lanes - 1 across the lanes of a vector: Ramp(b, s) is b + s · lane
  quotient,   ///< floor(operands[0] / operands[1]), the divisor positive
  remainder,  ///< operands[0] - operands[1] · quotient
  minimum,
  maximum,
  choice,  ///< one of the operands; which one, `expr` says
  opaque,
};

struct Atom {
  AtomKind kind;
  Expr expr;  ///< how it prints; empty for `lane`
  int lanes = 1;
  std::vector<Polynomial> operands = {};
  /// Built from int64 variables and bounded values only, so that the law "index arithmetic does not overflow"
  /// covers it.
  bool tame = true;
};

/// The atoms met so far, each once. Cheap to copy: atoms do not change.
class AtomTable {
 public:
  const Atom& operator[](AtomId id) const { return *atoms_[static_cast<std::size_t>(id)]; }
  std::size_t size() const { return atoms_.size(); }

  /// Nothing where it was not met yet.
  std::optional<AtomId> find_variable(const Var& var) const;
  AtomId add_variable(const Var& var, bool tame);
  AtomId lane(int lanes);
  /// An expression that is no variable.
  AtomId opaque(const Expr& e);
  /// A quotient, remainder, minimum, maximum or choice: `expr` is used where the atom is new.
  AtomId compound(AtomKind kind, std::vector<Polynomial> operands, const Expr& expr);
  int lanes_of(const Polynomial& p) const;

 private:
  AtomId add(Atom atom);

  std::vector<std::shared_ptr<const Atom>> atoms_;
  SharedCopy<std::unordered_map<Expr, AtomId>> variables_;
  SharedCopy<std::map<int, AtomId>> lanes_;
  SharedCopy<std::map<std::vector<std::int64_t>, AtomId>> compounds_;
  SharedCopy<std::unordered_multimap<std::uint64_t, AtomId>> opaques_;
};

}  // namespace ardea::arith
