#pragma once

#include <string>
#include <vector>

#include "ardea/cost/booster.h"
#include "ardea/ir/function.h"
#include "ardea/space/choice.h"
#include "ardea/target/target.h"

namespace ardea::cost {

/// A sketch as features see it. What it points at outlives whoever was given it.
struct SketchView {
  const space::System* system = nullptr;
  const Function* symbolic = nullptr;  ///< the scheduled program; null: its variables alone are known
  std::vector<Var> knobs = {};         ///< parameters of it, in the order of the system's knobs
};

/// How the choices of one space become rows of numbers: what is known of the program first, in columns that
/// all spaces share, then the variables of the systems by name, as log2. A number that a sketch does not have
/// is missing (NaN).
class Features {
 public:
  Features(std::vector<SketchView> sketches, const target::Target& target);

  const std::vector<std::string>& columns() const { return columns_; }
  const std::vector<SketchView>& sketches() const { return sketches_; }
  Rows rows(const std::vector<space::Choice>& choices) const;
  /// By column, the knobs of the sketch that a number depends on: places in the list of its system's knobs.
  std::vector<std::vector<std::size_t>> knobs_behind(std::size_t sketch) const;

 private:
  std::vector<SketchView> sketches_;
  std::vector<std::string> columns_;
  std::vector<std::vector<std::size_t>> variable_columns_;  ///< by sketch and variable
};

}  // namespace ardea::cost
