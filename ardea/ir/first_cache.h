#pragma once

namespace ardea {

/// On a block that copies from a GPU's memory, and on the memory that it fills: 1 where what is copied will
/// be read again soon, so that the first cache keeps it; 0 where the second one is enough.
inline constexpr auto first_cache_key = "first_cache";

}  // namespace ardea
