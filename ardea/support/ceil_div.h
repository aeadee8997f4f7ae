#pragma once

#include <cstdint>

namespace ardea {

/// ⌈a / b⌉ for a ≥ 0 and b > 0.
constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// The least multiple of b that is not below a, for the same.
constexpr std::int64_t round_up(std::int64_t a, std::int64_t b) { return ceil_div(a, b) * b; }

}  // namespace ardea
