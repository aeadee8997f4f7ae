#pragma once

#include <cstdlib>
#include <vector>

namespace ardea::test {

/// Long lists of cases that are alike: `make test` takes some of each, `make test-whole` takes them all.
inline bool takes_all_cases() { return std::getenv("ARDEA_WHOLE_TESTS") != nullptr; }

inline bool takes_case(std::size_t place, std::size_t one_in) {
  return takes_all_cases() || place % one_in == 0;
}

/// The first case and every `one_in`th after it. A number that shares no factor with the period of what the
/// list goes through, such as its targets, keeps all of that.
template <class Case>
std::vector<Case> sampled(std::size_t one_in, const std::vector<Case>& all) {
  std::vector<Case> taken;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (takes_case(i, one_in)) taken.push_back(all[i]);
  return taken;
}

/// How many of so many cases by chance are taken, from the first seed on.
inline std::size_t sampled_count(std::size_t one_in, std::size_t all) {
  return takes_all_cases() ? all : (all + one_in - 1) / one_in;
}

}  // namespace ardea::test
