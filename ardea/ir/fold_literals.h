#pragma once

#include <cstdint>
#include <optional>

#include "ardea/ir/function.h"

/// The arithmetic of numbers that a program spells out. `arith` knows far more; this is what text and shapes
/// need to be readable, in which nothing else may change its place.

namespace ardea {

/// e with the literals of its scalar int32 and int64 arithmetic computed: `2048 + 4`, `v + 0`, `v * 1`, `v +
/// 3 - 1`. Nothing is reordered, buffers are as
/// they are, and a result that its type cannot hold stays as it is written. An empty
/// handle stays empty.
Expr fold_literals(const Expr& e);
/// The same everywhere in f, shapes and regions included. Every value that f computes stays as it is.
Function fold_literals(const Function& f);

/// to - from, where the two are one expression plus or minus literals: `x - 1` and `x + 4` are 5 apart.
std::optional<std::int64_t> literal_distance(const Expr& from, const Expr& to);

/// e + by, its literal joined with e's own: `x - 1` and 5 give `x + 4`. Nothing where the type cannot hold
/// it, or e is no scalar integer.
std::optional<Expr> shifted_by_literal(const Expr& e, std::int64_t by);

}  // namespace ardea
