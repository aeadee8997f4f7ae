#pragma once

/// What a backend is told about the stores of a loop.

namespace ardea {

/// On a loop whose results nobody reads soon, and which writes whole lines of them: its stores need not bring
/// the lines into caches first.
inline constexpr auto past_caches_key = "pragma_past_caches";

}  // namespace ardea
