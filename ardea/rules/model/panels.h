#pragma once

#include <cstdint>

#include "ardea/target/target.h"

namespace ardea::rules {

/// The columns of a panel of B, of which `bytes` a column fit beside what streams past it: half of the second
/// cache. A multiple of `columns`; all of n where that fits.
std::int64_t panel_columns(const target::Target& target, std::int64_t n, std::int64_t column_bytes,
                           std::int64_t columns);

/// The size of equal parts, at most `most` each, that cover n with as many parts as parts of `most` would.
std::int64_t even_part(std::int64_t n, std::int64_t most);

}  // namespace ardea::rules
