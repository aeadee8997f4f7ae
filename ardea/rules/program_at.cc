#include "ardea/arith/canon.h"
#include "ardea/rules/sketch.h"
#include "ardea/support/error.h"

namespace ardea::rules {

limits::Numbers numbers_at(const Sketch& sketch, const space::Point& point) {
  require(point.size() == sketch.system.variables().size(),
          "{}: the point has {} values, the sketch has {} variables", sketch.program.name, point.size(),
          sketch.system.variables().size());
  const std::vector<space::Var>& knobs = sketch.system.knobs();
  limits::Numbers numbers;
  for (std::size_t i = 0; i < sketch.knobs.size(); ++i)
    numbers.emplace(sketch.knobs[i].var, point[static_cast<std::size_t>(knobs[i].index)]);
  return numbers;
}

Function program_at(const Sketch& sketch, const space::Point& point) {
  return arith::with_numbers(sketch.symbolic, numbers_at(sketch, point));
}

}  // namespace ardea::rules
