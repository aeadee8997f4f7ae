#include "bench/search_landscape.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "ardea/support/random.h"

namespace ardea::bench {

namespace {

/// The same draw for the same name in every sketch.
Random random_of(std::uint64_t seed, const std::string& name) {
  std::uint64_t hash = seed;
  for (const char c : name) hash = Random(hash ^ static_cast<unsigned char>(c)).next();
  return Random(hash);
}

double log2_of(std::int64_t value) {
  return std::log2(1.0 + static_cast<double>(std::max<std::int64_t>(value, 0)));
}

/// Quantiles of a variable's values over points.
double quantile(const std::vector<space::Point>& points, std::size_t variable, double at) {
  std::vector<std::int64_t> values;
  for (const space::Point& point : points) values.push_back(point[variable]);
  std::sort(values.begin(), values.end());
  return log2_of(values[static_cast<std::size_t>(at * static_cast<double>(values.size() - 1))]);
}

/// A knob's name; else how it follows from knobs. (Names of variables that nobody named are counted up.)
std::string meaning_of(const space::System& system, space::Var v) {
  const space::Variable& variable = system[v];
  if (variable.is_knob()) return variable.name;
  std::string text = "(";
  const space::Constraint& definition = system.constraints()[static_cast<std::size_t>(variable.definition)];
  text += std::to_string(definition.body.index());
  if (const auto* sum = std::get_if<space::Linear>(&definition.body))
    for (const space::Scaled& term : sum->terms) text += fmt::format(" {}*", term.coefficient);
  space::for_each_operand(definition, [&](const space::Operand& operand) {
    if (!operand.is_variable()) {
      text += fmt::format(" {}", operand.number());
    } else if (operand.variable().index < v.index) {
      text += " " + meaning_of(system, operand.variable());
    }
  });
  return text + ")";
}

constexpr std::size_t few_values = 4;

}  // namespace

Landscape::Landscape(const std::vector<Sketch>& sketches, const cost::Model& cycles, std::uint64_t seed)
    : cycles_(&cycles) {
  for (std::size_t s = 0; s < sketches.size(); ++s) {
    const space::Solver& solver = *sketches[s].solver;
    const space::System& system = solver.system();
    const std::vector<space::Point> points = solver.sample(300, 1).points;
    double& offset = offsets_.emplace_back(0.1 * random_of(seed, "sketch " + std::to_string(s)).real());
    for (const std::string& trait : sketches[s].traits) offset += 0.3 * random_of(seed, trait).real();
    std::vector<Effect>& effects = effects_.emplace_back();
    for (std::size_t v = 0; v < system.variables().size(); ++v) {
      const space::Variable& variable = system.variables()[v];
      Random random = random_of(seed, meaning_of(system, {static_cast<int>(v)}));
      const double low = quantile(points, v, 0), high = quantile(points, v, 1);
      // A fifth of what is defined matters by itself; what never changes does not.
      const bool matters = variable.is_knob() ? random.chance(0.8) : random.chance(0.2);
      if (!matters || low == high) continue;
      Effect effect{static_cast<int>(v)};
      const std::size_t values = solver.engine().layout().domain(static_cast<int>(v)).size();
      if (variable.is_knob() && values <= few_values) {
        for (const std::int64_t value : solver.engine().layout().domain(static_cast<int>(v)).values())
          effect.by_value[value] = 0.3 * random.real();
      } else {
        effect.best = quantile(points, v, 0.1 + 0.8 * random.real());
        const double scale = 1.0 / std::max(1.0, std::pow(high - low, 2));
        effect.low = scale * random.real();
        effect.high = scale * random.real();
        if (!variable.is_knob() && random.chance(0.4)) effect.cliff = 0.4 * random.real();
      }
      effects.push_back(std::move(effect));
    }
  }
}

double Landscape::seconds(const space::Choice& choice) const {
  double cost = offsets_[choice.sketch] - cycles_->predict({choice})[0].score;
  for (const Effect& effect : effects_[choice.sketch]) {
    const std::int64_t value = choice.point[static_cast<std::size_t>(effect.variable)];
    if (!effect.by_value.empty()) {
      cost += effect.by_value.at(value);
      continue;
    }
    const double far = log2_of(value) - effect.best;
    cost += (far < 0 ? effect.low : effect.high) * far * far + (far > 1e-9 ? effect.cliff : 0);
  }
  return std::exp(cost);
}

}  // namespace ardea::bench
