#include "ardea/rules/model/panels.h"

#include <algorithm>

#include "ardea/support/ceil_div.h"

namespace ardea::rules {

std::int64_t panel_columns(const target::Target& target, std::int64_t n, std::int64_t column_bytes,
                           std::int64_t columns) {
  const target::Cache* cache = target.cache(2);
  if (cache == nullptr) return round_up(n, columns);
  const std::int64_t fit = std::max(columns, cache->bytes / 2 / column_bytes / columns * columns);
  return round_up(even_part(n, fit), columns);
}

std::int64_t even_part(std::int64_t n, std::int64_t most) {
  return n <= most ? n : ceil_div(n, ceil_div(n, most));
}

}  // namespace ardea::rules
