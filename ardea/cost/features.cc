#include "ardea/cost/features.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>

#include "ardea/support/error.h"

namespace ardea::cost {

namespace {

/// Logarithms, of both signs: what doubles counts as much as what doubled before.
float scaled(double value) {
  return static_cast<float>(value < 0 ? -std::log2(1 - value) : std::log2(1 + value));
}

}  // namespace

Features::Features(std::vector<SketchView> sketches, const target::Target& target, int threads)
    : sketches_(std::move(sketches)), target_(target), threads_(threads) {
  for (const std::string_view name : feature_names()) columns_.emplace_back(name);
  columns_.emplace_back("sketch");
  std::map<std::string, std::size_t> known;
  const auto column = [&](const std::string& name) {
    const auto [place, is_new] = known.emplace(name, columns_.size());
    if (is_new) columns_.push_back(name);
    return place->second;
  };
  for (const SketchView& sketch : sketches_) {
    found_.push_back(std::make_unique<Found>());
    auto& ways = way_columns_.emplace_back();
    for (const SketchView::Way& way : sketch.ways) ways.push_back(column("way " + way.question));
    auto& places = variable_columns_.emplace_back();
    for (const space::Variable& variable : sketch.system->variables()) {
      places.emplace_back();
      if (!variable.name.starts_with('_')) places.back() = column("variable " + variable.name);
    }
  }
}

const ProgramFeatures* Features::program_of(std::size_t sketch) const {
  const SketchView& view = sketches_[sketch];
  if (view.symbolic == nullptr) return nullptr;
  Found& found = *found_[sketch];
  std::call_once(found.once, [&] {
    try {
      found.features.emplace(*view.symbolic, view.knobs, target_, threads_);
    } catch (const Error&) {
      found.features.reset();  // lowering refuses it: then its variables alone are known
    }
  });
  return found.features ? &*found.features : nullptr;
}

std::optional<ProgramFeatures::Values> Features::program_at(const space::Choice& choice) const {
  ensure(choice.sketch < sketches_.size(), "Features: sketch {} of {}", choice.sketch, sketches_.size());
  const ProgramFeatures* program = program_of(choice.sketch);
  if (program == nullptr) return std::nullopt;
  std::vector<double> numbers;
  for (const space::Var knob : sketches_[choice.sketch].system->knobs())
    numbers.push_back(static_cast<double>(choice.point[static_cast<std::size_t>(knob.index)]));
  return program->at(numbers);
}

void Features::write_program(const ProgramFeatures::Values& values, float* row) const {
  for (std::size_t i = 0; i < feature_count; ++i) row[i] = scaled(values[i]);
}

Rows Features::rows(const std::vector<space::Choice>& choices) const {
  Rows rows{columns_.size()};
  rows.values.reserve(choices.size() * columns_.size());
  std::vector<float> row;
  for (const space::Choice& choice : choices) {
    ensure(choice.sketch < sketches_.size(), "Features: sketch {} of {}", choice.sketch, sketches_.size());
    const auto& places = variable_columns_[choice.sketch];
    ensure(choice.point.size() == places.size(), "Features: a point of {} variables, the sketch has {}",
           choice.point.size(), places.size());
    row.assign(columns_.size(), NAN);
    if (const auto program = program_at(choice)) write_program(*program, row.data());
    row[feature_count] = static_cast<float>(choice.sketch);
    const std::vector<SketchView::Way>& ways = sketches_[choice.sketch].ways;
    for (std::size_t i = 0; i < ways.size(); ++i)
      row[way_columns_[choice.sketch][i]] = static_cast<float>(ways[i].taken);
    for (std::size_t i = 0; i < places.size(); ++i)
      if (places[i]) row[*places[i]] = scaled(static_cast<double>(choice.point[i]));
    rows.append(row.data());
  }
  return rows;
}

std::vector<float> Features::row_of(const Function& scheduled) const {
  std::vector<float> row(columns_.size(), NAN);
  write_program(features_of(scheduled, target_, threads_), row.data());
  return row;
}

std::vector<std::vector<std::size_t>> Features::knobs_behind(std::size_t sketch) const {
  const space::System& system = *sketches_[sketch].system;
  std::vector<std::vector<std::size_t>> by_column(columns_.size());
  if (const ProgramFeatures* program = program_of(sketch)) {
    const auto by_feature = program->parameters_behind();
    std::copy(by_feature.begin(), by_feature.end(), by_column.begin());
  }
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
    if (const auto column = variable_columns_[sketch][v])
      by_column[*column].assign(by_variable[v].begin(), by_variable[v].end());
  }
  return by_column;
}

}  // namespace ardea::cost
