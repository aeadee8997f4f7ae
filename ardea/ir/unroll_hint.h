#pragma once

#include <cstdint>

#include "ardea/ir/stmt.h"

/// What a backend tells its compiler about a loop that lowering left as T.unroll.

namespace ardea {

/// Whole, where its iterations are this few.
inline constexpr std::int64_t most_whole_iterations = 64;
/// Else so many at a time, known extent or not.
inline constexpr std::int64_t partial_iterations = 8;

/// On a loop that backends must not make copies of: it runs rarely, and code costs time to compile.
inline constexpr auto rolled_key = "pragma_rolled";

/// How many copies of the body to make: the whole extent, or some at a time; 0 where nobody asked.
inline std::int64_t unroll_count(const For& loop) {
  if (loop.kind != ForKind::unrolled) return 0;
  const auto extent = constant_int(loop.extent);
  return extent && *extent >= 1 && *extent <= most_whole_iterations ? *extent : partial_iterations;
}

}  // namespace ardea
