#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ardea/cost/model.h"
#include "ardea/space/solver.h"

namespace ardea::search {

/// What a strategy searches, and what it may know.
struct Setting {
  std::vector<const space::Solver*> sketches;
  std::uint64_t seed = 1;
  /// Asked for first, in this order: what a model of the machine chooses, what was best for tasks like this.
  /// Empty: nothing is known.
  std::vector<space::Choice> first = {};
  /// Whoever tells results also lets the model learn, before the next batch is asked for. None: the strategy
  /// goes by what it is told alone.
  const cost::Model* model = nullptr;
  /// By sketch, on top of its own; an empty list where there are none at all.
  std::vector<std::vector<space::Constraint>> extra = {};
};

/// A way to search a space: asks for points, is told what came of them. The same questions come for the same
/// seed and the same answers, on every machine.
class Strategy {
 public:
  virtual ~Strategy() = default;

  /// So many points, none of which was asked for before; fewer only where no others can be found. What was
  /// asked for before need not have been told yet.
  virtual std::vector<space::Choice> ask(std::size_t count) = 0;
  /// In the order of asking. Results that nobody asked for (of an earlier run) may be told, too.
  virtual void tell(const cost::Known& result) = 0;
};

/// One that can be chosen by its name.
struct Method {
  std::string name;     ///< "cga"
  std::string summary;  ///< a line for people
  bool uses_model = false;
  std::function<std::unique_ptr<Strategy>(const Setting&)> make;
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
