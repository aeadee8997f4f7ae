#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "ardea/interp/interpreter.h"
#include "ardea/ir/function.h"

namespace ardea::measure {

/// How one array argument compares with the reference.
struct Comparison {
  std::string argument;
  std::int64_t elements = 0;
  std::int64_t mismatches = 0;
  std::int64_t unbounded =
      0;  ///< elements for which no finite tolerance could be derived: they are not checked
  double largest_error = 0;
  double largest_ratio = 0;  ///< of error to tolerance, over elements with both
  /// The first mismatch.
  std::int64_t index = -1;
  double got = 0, expected = 0, tolerance = 0;
};

struct CheckReport {
  std::vector<Comparison> arguments;  ///< those that the program writes
  std::string reference;              ///< "interpreter" or "compiled float64"
  bool agrees() const;
};

enum class Reference {
  automatic,  ///< the interpreter where it takes a few seconds at most, else compiled
  interpreter,
  compiled,
};

/// What a program must answer on given arguments, computed once, for any number of answers to be compared
/// with.
class Expectation {
 public:
  /// Runs the error-bounded form of f (error_bounds.h) on `before`.
  Expectation(const Function& f, const std::vector<interp::Argument>& before,
              Reference reference = Reference::automatic);

  /// `after` is what the program under test made of a copy of `before`: integers must be bit-equal, floats
  /// within the running bound, NaN never agrees.
  CheckReport compare(const std::vector<interp::Argument>& after) const;

  /// For other processes: written into a folder that is there, and read from it. What `load` reads was wholly
  /// written, or is an Error.
  void save(const std::filesystem::path& folder) const;
  static Expectation load(const std::filesystem::path& folder);

 private:
  Expectation() = default;
  struct Output {
    std::string name;
    std::size_t argument;
    runtime::Array expected, bounds;  ///< no bounds: exact
  };
  std::vector<Output> outputs_;
  std::string reference_;
};

/// Expectation and its comparison in one.
CheckReport check(const Function& f, const std::vector<interp::Argument>& before,
                  const std::vector<interp::Argument>& after, Reference reference = Reference::automatic);

/// Roughly how many expressions the interpreter would evaluate.
double interpreter_work(const Function& f, const std::vector<interp::Argument>& arguments);

}  // namespace ardea::measure
