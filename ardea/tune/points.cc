#include "ardea/tune/points.h"

#include "ardea/rules/trace_at.h"
#include "ardea/space/evaluate.h"

namespace ardea::tune {

Candidate candidate_at(const rules::ProgramSpace& space, const space::Choice& choice) {
  return {choice, rules::trace_text(space.sketches[choice.sketch].sketch, choice.point)};
}

db::Trial record_of(const rules::ProgramSpace& space, const Candidate& candidate) {
  const rules::Sketch& sketch = space.sketches[candidate.choice.sketch].sketch;
  db::Trial trial;
  trial.sketch = rules::to_string(sketch.ways);
  for (const space::Var knob : sketch.system.knobs())
    trial.knobs[sketch.system[knob].name] = candidate.choice.point[static_cast<std::size_t>(knob.index)];
  trial.trace = candidate.trace;
  return trial;
}

std::optional<space::Choice> choice_of(const rules::ProgramSpace& space, const db::Trial& trial) {
  for (std::size_t i = 0; i < space.sketches.size(); ++i) {
    const rules::Sketch& sketch = space.sketches[i].sketch;
    if (rules::to_string(sketch.ways) != trial.sketch) continue;
    const std::vector<space::Var>& knobs = sketch.system.knobs();
    std::vector<std::int64_t> numbers;
    for (const space::Var knob : knobs)
      if (const auto at = trial.knobs.find(sketch.system[knob].name); at != trial.knobs.end())
        numbers.push_back(at->second);
    if (numbers.size() != knobs.size() || numbers.size() != trial.knobs.size()) continue;
    const auto point = space::complete_knobs(sketch.system, numbers);
    if (point && space::is_solution(sketch.system, *point)) return space::Choice{i, *point};
  }
  return std::nullopt;
}

std::optional<space::Choice> default_choice(const rules::ProgramSpace& space) {
  // The model's own ways are the first sketch; what it chooses in others is a model's answer to another
  // question.
  if (const auto& model = space.sketches.at(0).sketch.model) return space::Choice{0, *model};
  return std::nullopt;
}

}  // namespace ardea::tune
