#include "ardea/rules/model/lane_sums.h"

#include <algorithm>
#include <bit>

namespace ardea::rules {

namespace {

/// Partial results of more vectors keep no unit busier, and take longer to put together.
constexpr std::int64_t most_vectors_of_a_row = 8;

std::int64_t power_of_two_below(std::int64_t n) {
  return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(n)));
}

/// Vectors that the sums of all rows together may take.
std::int64_t tile_of(const Rows& rows, const target::Target& target) {
  return std::max<std::int64_t>(1, target.vector_registers / 2 / rows.others);
}

}  // namespace

LaneSum lane_sum_for(const Rows& rows, int bits, const target::Target& target) {
  const std::int64_t lanes = target.vector_bits / bits;
  const std::int64_t tile = tile_of(rows, target);
  // Two vectors a row leave room for as many rows as there can be: each is a stream of its own out of memory.
  const std::int64_t at_once =
      std::min(power_of_two_below(rows.rows), power_of_two_below(std::max<std::int64_t>(1, tile / 2)));
  const std::int64_t vectors =
      std::min<std::int64_t>(target.core.sums_in_flight(), power_of_two_below(tile / at_once));
  return lane_sum_of(std::min(power_of_two_below(rows.extent), lanes * vectors), rows, at_once, bits, target);
}

LaneSum lane_sum_of_parts(const Rows& parts, int bits, const target::Target& target) {
  const std::int64_t lanes = target.vector_bits / bits;
  const std::int64_t line = target.cache(1)->line_bytes * 8 / bits;
  // Where a vector takes a whole line, half of what is under way is of one part: what it makes is put
  // together for each part, and that of several vectors at once.
  const std::int64_t of_part = lanes >= line ? lanes * target.core.sums_in_flight() / 2 : line;
  const std::int64_t width = std::min(power_of_two_below(parts.extent), power_of_two_below(of_part));
  const std::int64_t at_once =
      power_of_two_below(std::max<std::int64_t>(1, target.core.sums_in_flight() * lanes / width));
  return lane_sum_of(width, parts, std::min(power_of_two_below(parts.rows), at_once), bits, target);
}

std::vector<std::int64_t> widths_for(const Rows& rows, int bits, const target::Target& target,
                                     std::int64_t model) {
  const std::int64_t lanes = target.vector_bits / bits, most = power_of_two_below(rows.extent);
  std::vector<std::int64_t> widths = {model};
  for (std::int64_t vectors = 1; vectors <= most_vectors_of_a_row; vectors *= 2)
    widths.push_back(std::min(most, lanes * vectors));
  std::sort(widths.begin(), widths.end());
  widths.erase(std::unique(widths.begin(), widths.end()), widths.end());
  return widths;
}

LaneSum lane_sum_of(std::int64_t width, const Rows& rows, std::int64_t at_once, int bits,
                    const target::Target& target) {
  const std::int64_t lanes = std::min<std::int64_t>(target.vector_bits / bits, width);
  const std::int64_t vectors = width / lanes;
  return {.rows = std::min(at_once, std::max<std::int64_t>(1, tile_of(rows, target) / vectors)),
          .vectors = vectors,
          .lanes = lanes};
}

bool is_summed(DataType type) { return type == float32 || type == float64 || type == int32 || type == int64; }

}  // namespace ardea::rules
