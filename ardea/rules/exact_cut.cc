#include "ardea/rules/exact_cut.h"

#include <algorithm>

#include "ardea/schedule/primitives/loops/split.h"

namespace ardea::rules {

std::vector<std::int64_t> divisors_of(std::int64_t number) {
  std::vector<std::int64_t> all;
  for (std::int64_t d = 1; d <= number; ++d)
    if (number % d == 0) all.push_back(d);
  return all;
}

std::int64_t largest_divisor(std::int64_t number, std::int64_t most) {
  std::int64_t found = std::min(number, most);
  while (number % found != 0) --found;
  return found;
}

ExactCut exact_cut(Derivation& d, const std::string& name, std::int64_t extent,
                   const std::vector<std::int64_t>& lengths, std::int64_t model) {
  std::vector<std::int64_t> fitting, counts;
  for (const std::int64_t length : lengths)
    if (extent % length == 0) {
      fitting.push_back(length);
      counts.push_back(extent / length);
    }
  const schedule::Number length = d.number(name, fitting, model);
  return {d.number(name + "_count", counts, extent / model), length};
}

std::vector<schedule::LoopRef> split(Derivation& d, const schedule::LoopRef& loop, const ExactCut& cut) {
  return d.steps().loops(schedule::Split{loop, {cut.parts, cut.length}, true, /*disable_predication=*/true});
}

}  // namespace ardea::rules
