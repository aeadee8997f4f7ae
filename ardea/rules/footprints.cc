#include "ardea/rules/footprints.h"

#include <fmt/core.h>

#include <set>

#include "ardea/limits/limits.h"
#include "ardea/lower/limits_of.h"

namespace ardea::rules {

std::vector<SoftVariable> footprints_of(const Sketch& sketch, const target::Target& target) {
  std::vector<SoftVariable> variables;
  std::set<std::string> taken;
  for (limits::Footprint& footprint : lower::footprints_of(sketch.symbolic, target)) {
    const std::string stem = fmt::format("footprint_l{}_{}", footprint.level, footprint.block);
    std::string name = stem;
    for (int i = 2; !taken.insert(name).second; ++i) name = fmt::format("{}_{}", stem, i);
    variables.push_back({std::move(name), std::move(footprint)});
  }
  return variables;
}

std::optional<std::int64_t> value_at(const SoftVariable& variable, const Sketch& sketch,
                                     const space::Point& point) {
  if (!variable.footprint.bytes.defined()) return std::nullopt;
  limits::Numbers numbers;
  const std::vector<space::Var> knobs = sketch.system.knobs();
  for (std::size_t i = 0; i < sketch.knobs.size(); ++i)
    numbers.emplace(sketch.knobs[i].var, point[static_cast<std::size_t>(knobs[i].index)]);
  return limits::value_at(variable.footprint.bytes, numbers);
}

}  // namespace ardea::rules
