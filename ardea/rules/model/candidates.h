#pragma once

#include <cstdint>
#include <vector>

/// Numbers worth trying, for the knobs of rules.

namespace ardea::rules {

/// Sizes of tiles of an axis, none longer than `most`: its divisors, and the multiples of `multiple` up to
/// the one that covers it.
std::vector<std::int64_t> tile_sizes(std::int64_t extent, std::int64_t most, std::int64_t multiple = 1);

/// The same, none longer than the axis: where a tile that is would be cut to it.
std::vector<std::int64_t> tile_sizes_within(std::int64_t extent, std::int64_t most,
                                            std::int64_t multiple = 1);

/// How many of `count` things to take together: divisors, powers of two, and equal parts of all.
std::vector<std::int64_t> group_sizes(std::int64_t count);

/// The same of the tiles that an axis is cut into, as many of them as the model's tile makes, where the tile
/// is one of several. Whatever it is: groups that divide the axis as the tile does are there, and the one of
/// all.
std::vector<std::int64_t> group_sizes(std::int64_t extent, const std::vector<std::int64_t>& tiles,
                                      std::int64_t model);

}  // namespace ardea::rules
