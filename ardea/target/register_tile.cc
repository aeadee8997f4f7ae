#include "ardea/target/register_tile.h"

#include <algorithm>

namespace ardea::target {

std::int64_t registers_of(DataType type, const Target& target) {
  const std::int64_t bits = type.bytes() * 8;
  return target.vector_bits == 0 ? 1 : (bits + target.vector_bits - 1) / target.vector_bits;
}

std::int64_t registers_of(const RegisterTile& tile, const Target& target) {
  const std::int64_t row = registers_of(tile.type.with_lanes(tile.columns), target);
  const std::int64_t left =
      target.arch == Arch::aarch64 ? registers_of(tile.type.with_lanes(tile.rows), target) : 1;
  return tile.rows * row + row + left;
}

}  // namespace ardea::target
