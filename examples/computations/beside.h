#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <vector>

#include <ardea/ardea.h>

/// What the examples have in common: random inputs, a comparison, and two functions timed in turn.

inline void fill(const ardea::runtime::Array& array, unsigned seed) {
  for (float& x : array.values<float>()) {
    seed = seed * 1664525u + 1013904223u;
    x = static_cast<float>(seed >> 8) / (1 << 23) - 1;
  }
}

inline bool agree(const ardea::runtime::Array& ours, const ardea::runtime::Array& plain) {
  const auto a = ours.values<float>(), b = plain.values<float>();
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!(std::fabs(a[i] - b[i]) <= 1e-4f * std::max(1.0f, std::fabs(b[i])))) {
      std::printf("element %zu is %g, the plain loops have %g\n", i, a[i], b[i]);
      return false;
    }
  return true;
}

inline bool is_small(int argc, char** argv) { return argc > 1 && std::strcmp(argv[1], "small") == 0; }

/// Runs both in turn, some rounds of it, and prints the medians.
inline void time_beside(const char* name, const std::function<void()>& ours,
                        const std::function<void()>& plain) {
  constexpr int rounds = 15;
  std::vector<double> mine, theirs, ratios;
  const auto milliseconds = [](const std::function<void()>& f) {
    const double start = ardea::runtime::steady_seconds();
    f();
    return (ardea::runtime::steady_seconds() - start) * 1e3;
  };
  for (int i = 0; i < rounds; ++i) {
    mine.push_back(milliseconds(ours));
    theirs.push_back(milliseconds(plain));
    ratios.push_back(theirs.back() / mine.back());
  }
  for (auto* list : {&mine, &theirs, &ratios}) std::sort(list->begin(), list->end());
  std::printf("%s: plain loops %.2f ms, Ardea %.2f ms, %.1f times as fast [%.1f, %.1f]\n", name,
              theirs[rounds / 2], mine[rounds / 2], ratios[rounds / 2], ratios[rounds / 4],
              ratios[rounds * 3 / 4]);
}
