#pragma once

#include <optional>

#include "ardea/arith/analyzer.h"
#include "ardea/ir/substitute.h"

namespace ardea::schedule {

/// The values of `iterators` at which `indices`, expressions over them, are `values`: through v + c and c - v
/// in any order of dimensions, and through mixed-radix numbers such as v0 * 4 + v1. Nothing where the indices
/// do not determine every iterator of more than one value. A dimension whose index no iterator moves is not
/// looked at: whether its value is right is the caller's question.
std::optional<Substitution> solve_for_iterators(const std::vector<Expr>& indices,
                                                const std::vector<BlockIterator>& iterators,
                                                const std::vector<Expr>& values,
                                                const arith::Analyzer& facts);

}  // namespace ardea::schedule
