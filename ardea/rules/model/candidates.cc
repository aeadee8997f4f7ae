#include "ardea/rules/model/candidates.h"

#include <algorithm>
#include <set>

#include "ardea/support/ceil_div.h"

namespace ardea::rules {

std::vector<std::int64_t> tile_sizes(std::int64_t extent, std::int64_t most, std::int64_t multiple) {
  std::set<std::int64_t> sizes;
  for (std::int64_t d = 1; d <= std::min(extent, most); ++d)
    if (extent % d == 0) sizes.insert(d);
  for (std::int64_t size = multiple; size <= std::min(most, extent); size += multiple) sizes.insert(size);
  return {sizes.begin(), sizes.end()};
}

std::vector<std::int64_t> tile_sizes_within(std::int64_t extent, std::int64_t most, std::int64_t multiple) {
  std::vector<std::int64_t> sizes = tile_sizes(extent, most, multiple);
  std::erase_if(sizes, [&](std::int64_t size) { return size > extent; });
  return sizes;
}

std::vector<std::int64_t> group_sizes(std::int64_t count) {
  constexpr std::int64_t most_parts = 16;
  std::set<std::int64_t> sizes;
  for (std::int64_t d = 1; d * d <= count; ++d)
    if (count % d == 0) sizes.insert({d, count / d});
  for (std::int64_t size = 1; size < count; size *= 2) sizes.insert(size);
  for (std::int64_t parts = 1; parts <= std::min(count, most_parts); ++parts)
    sizes.insert(ceil_div(count, parts));
  return {sizes.begin(), sizes.end()};
}

std::vector<std::int64_t> group_sizes(std::int64_t extent, const std::vector<std::int64_t>& tiles,
                                      std::int64_t model) {
  const std::vector<std::int64_t> by_model = group_sizes(ceil_div(extent, model));
  std::set<std::int64_t> sizes(by_model.begin(), by_model.end());
  for (std::int64_t d = 1; d * d <= extent; ++d)
    if (extent % d == 0) sizes.insert({d, extent / d});
  for (const std::int64_t tile : tiles) sizes.insert(ceil_div(extent, tile));
  return {sizes.begin(), sizes.end()};
}

}  // namespace ardea::rules
