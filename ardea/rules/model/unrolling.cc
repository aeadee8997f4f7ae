#include "ardea/rules/model/unrolling.h"

namespace ardea::rules {

namespace {

/// About 4 KiB of code, which the caches of decoded instructions hold, too.
constexpr std::int64_t most_products_written_out = 512;
/// Four steps of a tile that fills 32 registers.
constexpr std::int64_t wanted_products_written_out = 96;

}  // namespace

Unrolling choose_unrolling(const std::vector<std::int64_t>& extents, std::int64_t products) {
  Unrolling chosen;
  for (std::size_t i = extents.size(); i-- > 0; products *= extents[i]) {
    if (products * extents[i] <= most_products_written_out) {
      ++chosen.whole;
      continue;
    }
    for (std::int64_t part = wanted_products_written_out / products; part > 1; --part)
      if (extents[i] % part == 0) {
        chosen.part = part;
        break;
      }
    break;
  }
  return chosen;
}

}  // namespace ardea::rules
