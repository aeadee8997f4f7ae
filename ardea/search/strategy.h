#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ardea/cost/model.h"
#include "ardea/space/solver.h"

namespace ardea::search {

/// Constraints by sketch, on top of its own; an empty list where there are none at all.
using Extra = std::vector<std::vector<space::Constraint>>;

/// What a strategy searches, and what it may know. Sketches and model outlive it.
struct Setting {
  std::vector<const space::Solver*> sketches;
  std::uint64_t seed = 1;
  /// Asked for first, in this order: what a model of the machine chooses, what was best for tasks like this.
  /// What is no point of these sketches is left out. Empty: nothing is known.
  std::vector<space::Choice> first = {};
  /// Whoever tells results also lets the model learn, before the next batch is asked for. A model that knows
  /// other tasks is trained from the start. None: the strategy goes by what it is told alone.
  const cost::Model* model = nullptr;
  Extra extra = {};  ///< hold for every question
  /// The method's own numbers by name (Method::options), where they are not its defaults.
  std::map<std::string, double> options = {};
};

/// A way to search a space: asks for points, is told what came of them. The same questions come for the same
/// seed and the same answers, on every machine and any number of threads.
class Strategy {
 public:
  virtual ~Strategy() = default;

  /// So many points that meet the extra constraints of this question, none of which was asked for or told of
  /// before; fewer only where no others can be found. What was asked for before need not have been told yet.
  virtual std::vector<space::Choice> ask(std::size_t count, const Extra& extra = {}) = 0;
  /// In the order of asking. Results that nobody asked for (of an earlier run) may be told, too, also before
  /// the first question.
  virtual void tell(const cost::Known& result) = 0;
};

/// A number that decides how a method searches.
struct Option {
  std::string name;  ///< "population"
  double value = 0;  ///< by default
  double least = 0, most = 0;
  std::string summary;  ///< a line for people
};

/// One that can be chosen by its name.
struct Method {
  std::string name;     ///< "cga"
  std::string summary;  ///< a line for people
  bool uses_model = false;
  std::vector<Option> options = {};
  /// Error where there is no sketch, or an option is unknown or out of its range.
  std::function<std::unique_ptr<Strategy>(const Setting&)> make = {};
};

/// All that there are, by name.
const std::vector<Method>& methods();
/// Error that names near ones where there is none of that name.
const Method& method(const std::string& name);
/// Which serves so many trials of a space of so many points best, and why, in a sentence.
struct Default {
  const Method* method = nullptr;
  std::string why;
};
Default default_method(std::int64_t trials, double points);

}  // namespace ardea::search
