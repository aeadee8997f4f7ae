#pragma once

#include <optional>

#include "ardea/arith/analyzer.h"
#include "ardea/ir/stmt.h"

/// Tails of register tiles whose size is not known: a kernel for each size.

namespace ardea::lower {

/// How many iterations the unrolled loops of a nest run before their guards fail: `rows`, an expression over
/// what is defined outside of the nest. At most `least` and at least `most` count as these.
struct TailCases {
  Expr rows;
  std::int64_t least = 0, most = 0;
};

/// Nothing where the nest uses no register buffer, where no guard of its unrolled loops has such a form, or
/// where there would be too many cases.
std::optional<TailCases> tail_cases(const Stmt& nest, const arith::Analyzer& facts);

/// The nest where there are so many rows: the loops run so far and no further, and ask no more. Definitions
/// are those of the nest.
Stmt with_rows(const Stmt& nest, const TailCases& cases, std::int64_t rows, const arith::Analyzer& facts);

}  // namespace ardea::lower
