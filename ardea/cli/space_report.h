#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "ardea/rules/program_space.h"

/// A space of programs in words, as JSON and as a table.

namespace ardea::cli {

/// A sample that is no valid program.
struct Invalid {
  rules::Choice choice;
  std::string fault;
};

struct SpaceReport {
  std::string title;  ///< of the program
  const rules::ProgramSpace& space;
  std::vector<space::Count> counts;  ///< of each sketch
  space::Count count = {};           ///< of all
  std::vector<rules::Choice> samples = {};
  double seconds = 0;                                ///< that sampling took
  std::optional<std::vector<Invalid>> invalid = {};  ///< where the samples were checked
  std::size_t not_checked = 0;                       ///< samples, because somebody interrupted the check
};

/// Counts of all sketches in a line each; with `show`, what there is to choose in each, and under which
/// constraints; then the samples, and what is wrong with them.
std::string in_words(const SpaceReport& report, bool show);
nlohmann::json as_json(const SpaceReport& report);
/// The knobs of each sample and what follows from them (rules/footprints.h); where there are several
/// sketches, each knob has a column once, and is empty where the sketch does not have it.
std::string as_csv(const SpaceReport& report);
/// "sketch = 2, C_rows = 4"; without the sketch where there is one.
std::string to_string(const rules::ProgramSpace& space, const rules::Choice& choice);

}  // namespace ardea::cli
