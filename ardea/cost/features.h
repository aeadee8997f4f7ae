#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "ardea/cost/booster.h"
#include "ardea/cost/program_features.h"
#include "ardea/ir/function.h"
#include "ardea/space/choice.h"
#include "ardea/target/target.h"

namespace ardea::cost {

/// A sketch as features see it. What it points at outlives whoever was given it.
struct SketchView {
  /// A structural question, and the number of the answer that the sketch gave: what sketches have in common.
  struct Way {
    std::string question;
    std::size_t taken = 0;
  };

  const space::System* system = nullptr;
  const Function* symbolic = nullptr;  ///< the scheduled program; null: its variables alone are known
  std::vector<Var> knobs = {};         ///< parameters of it, in the order of the system's knobs
  std::vector<Way> ways = {};
};

/// How the choices of one space become rows of numbers: the features of the program first
/// (program_features.h), in columns that all spaces share, then the sketch and the variables of the systems
/// by name. All but the sketch as log2. A number that a sketch does not have is missing (NaN).
class Features {
 public:
  /// For programs that run on so many threads. What a sketch's program is made of is found when it is first
  /// asked for.
  Features(std::vector<SketchView> sketches, const target::Target& target, int threads = 1);

  const std::vector<std::string>& columns() const { return columns_; }
  const std::vector<SketchView>& sketches() const { return sketches_; }
  Rows rows(const std::vector<space::Choice>& choices) const;
  /// The row of a program of another space, as a record of it tells: the same columns, no variables.
  std::vector<float> row_of(const Function& scheduled) const;
  /// By column, the knobs of the sketch that a number depends on: places in the list of its system's knobs.
  std::vector<std::vector<std::size_t>> knobs_behind(std::size_t sketch) const;
  /// The features of the program itself; nothing where the sketch has none, or they cannot be told.
  std::optional<ProgramFeatures::Values> program_at(const space::Choice& choice) const;

 private:
  /// Null where there is none.
  const ProgramFeatures* program_of(std::size_t sketch) const;
  void write_program(const ProgramFeatures::Values& values, float* row) const;

  std::vector<SketchView> sketches_;
  target::Target target_;
  int threads_;
  std::vector<std::string> columns_;
  std::vector<std::vector<std::optional<std::size_t>>> variable_columns_;  ///< by sketch and variable
  std::vector<std::vector<std::size_t>> way_columns_;                      ///< by sketch and way
  struct Found {
    std::once_flag once;
    std::optional<ProgramFeatures> features;
  };
  std::vector<std::unique_ptr<Found>> found_;  ///< by sketch
};

}  // namespace ardea::cost
