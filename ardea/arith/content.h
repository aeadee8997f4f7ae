#pragma once

#include <cstdint>
#include <optional>

#include "ardea/ir/expr.h"

/// Expressions by what they say, for questions that are asked again about nodes that were built again.
/// Variables and buffers are their identity.

namespace ardea::arith {

/// Nothing where the expression is too large to be compared at every question, or holds a let: a let's
/// variable is its own, so that two of them are never the same to their users. Not the same in every run.
std::optional<std::uint64_t> content_hash(const Expr& e);

/// Of two expressions that have a hash.
bool same_content(const Expr& a, const Expr& b);

}  // namespace ardea::arith
