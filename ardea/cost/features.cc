#include "ardea/cost/features.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <variant>

#include "ardea/support/error.h"

namespace ardea::cost {

namespace {

/// Logarithms, of both signs: what doubles counts as much as what doubled before.
float scaled(double value) {
  return static_cast<float>(value < 0 ? -std::log2(1 - value) : std::log2(1 + value));
}

}  // namespace

Features::Features(std::vector<SketchView> sketches, const target::Target&) : sketches_(std::move(sketches)) {
  std::map<std::string, std::size_t> known;
  const auto column = [&](const std::string& name) {
    const auto [place, is_new] = known.emplace(name, columns_.size());
    if (is_new) columns_.push_back(name);
    return place->second;
  };
  if (sketches_.size() > 1) column("sketch");
  for (const SketchView& sketch : sketches_) {
    std::vector<std::size_t>& places = variable_columns_.emplace_back();
    for (const space::Variable& variable : sketch.system->variables())
      places.push_back(column("variable " + variable.name));
  }
}

Rows Features::rows(const std::vector<space::Choice>& choices) const {
  Rows rows{columns_.size()};
  std::vector<float> row;
  for (const space::Choice& choice : choices) {
    ensure(choice.sketch < sketches_.size(), "Features: sketch {} of {}", choice.sketch, sketches_.size());
    const std::vector<std::size_t>& places = variable_columns_[choice.sketch];
    ensure(choice.point.size() == places.size(), "Features: a point of {} variables, the sketch has {}",
           choice.point.size(), places.size());
    row.assign(columns_.size(), NAN);
    if (sketches_.size() > 1) row[0] = static_cast<float>(choice.sketch);
    for (std::size_t i = 0; i < places.size(); ++i)
      row[places[i]] = scaled(static_cast<double>(choice.point[i]));
    rows.append(row.data());
  }
  return rows;
}

std::vector<std::vector<std::size_t>> Features::knobs_behind(std::size_t sketch) const {
  const space::System& system = *sketches_[sketch].system;
  std::vector<std::vector<std::size_t>> by_column(columns_.size());
  std::vector<std::set<std::size_t>> by_variable(system.variables().size());
  for (std::size_t i = 0; i < system.knobs().size(); ++i)
    by_variable[static_cast<std::size_t>(system.knobs()[i].index)] = {i};
  for (std::size_t v = 0; v < by_variable.size(); ++v) {
    const space::Variable& variable = system.variables()[v];
    if (!variable.is_knob())
      for (const space::Var part :
           space::variables_of(system.constraints()[static_cast<std::size_t>(variable.definition)]))
        if (static_cast<std::size_t>(part.index) < v)
          by_variable[v].insert(by_variable[static_cast<std::size_t>(part.index)].begin(),
                                by_variable[static_cast<std::size_t>(part.index)].end());
    by_column[variable_columns_[sketch][v]].assign(by_variable[v].begin(), by_variable[v].end());
  }
  return by_column;
}

}  // namespace ardea::cost
