#pragma once

namespace ardea::intrin {

/// How many registers the scope "amx.tile" has.
inline constexpr int tile_registers = 8;

}  // namespace ardea::intrin
