#pragma once

#include <cstdint>

namespace ardea::intrin {

/// How many registers the scope "amx.tile" has.
inline constexpr int tile_registers = 8;

/// What each holds: 16 rows of 64 bytes.
inline constexpr std::int64_t tile_bytes = 1024;

}  // namespace ardea::intrin
