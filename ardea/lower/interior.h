#pragma once

#include <optional>
#include <vector>

#include "ardea/arith/analyzer.h"
#include "ardea/ir/stmt.h"
#include "ardea/lower/movable.h"
#include "ardea/target/target.h"

/// A statement in two versions: for where its tails and its padding ask nothing, and for anywhere.

namespace ardea::lower {

/// Where the guards of a statement hold for all iterations of the loops in it.
struct Interior {
  Expr condition;                 ///< over what is defined outside of the statement
  std::vector<Expr> comparisons;  ///< nodes of the statement that are true under it
};

/// The guards of s: the conditions of its `if`s without `else`, and those that choose between a value and a
/// constant, as padding does. Others, and such as fail in some iteration anywhere, are no part of it. Nothing
/// where no guard is left to decide, and where one depends on a long loop in s: further inside it holds more
/// often.
std::optional<Interior> interior_of(const Stmt& s, const arith::Analyzer& facts, Movable& movable);

/// Whether a guard of s sets loops against each other, as below a diagonal: it fails not at a border, but in
/// as many places as it holds.
bool has_diagonals(const Stmt& s);

/// s with the guards of its interior gone.
Stmt inside_of(const Stmt& s, const Interior& interior, const arith::Analyzer& facts);

/// s for the few places that are no interior, in little code: what was to be written out is a loop, and where
/// the target has no masks, a loop of lanes is one over single vectors.
Stmt rolled(const Stmt& s, const target::Target& target);

}  // namespace ardea::lower
