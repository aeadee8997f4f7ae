#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "ardea/schedule/posting.h"
#include "ardea/schedule/schedule.h"
#include "ardea/support/random.h"

/// Schedules whose numbers are variables, or what they stand for: the same steps either way.

namespace ardea::schedule::testing {

using Assignment = std::map<std::string, std::int64_t>;

/// The numbers of a template by name.
using Numbers = std::function<Number(const std::string&)>;

/// Some numbers together make an axis of the program.
struct Axis {
  std::int64_t extent;
  std::vector<std::string> parts;  ///< outermost first
  bool exact = true;       ///< their product is the extent; else it may be more by less than the inner ones
  std::int64_t least = 1;  ///< of the outermost part
};

struct Template {
  std::string name;
  Function program;
  std::vector<Axis> axes;
  std::function<void(Schedule&, const Numbers&)> steps;
};

const std::vector<Template>& templates();

/// The template once for all numbers: its program, whose scalar parameters they are, and what was posted.
struct Symbolic {
  Function program;
  std::map<std::string, Var> variables;
  std::vector<Posted> posted;
  std::vector<Refusal> deferred;
  std::vector<std::size_t> results;  ///< of each step, how many
};
Symbolic symbolic(const Template& t);

/// The same with numbers. Refused as any other schedule.
struct Replayed {
  Function program;
  std::vector<std::size_t> results;
};
Replayed replay(const Template& t, const Assignment& numbers);

/// Which edge an assignment is to have.
enum class Edge { none, one, whole, not_dividing };
/// Numbers for all axes; with an edge, some axis that can has it.
Assignment random_assignment(const Template& t, Edge edge, Random& random);

/// Whether the numbers fulfil what was posted.
bool fulfils(const Symbolic& s, const Assignment& numbers);

std::string to_string(const Assignment& numbers);

}  // namespace ardea::schedule::testing
