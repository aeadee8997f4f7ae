#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "ardea/compile/compile.h"
#include "ardea/ir/accuracy.h"
#include "ardea/support/random.h"

/// How far compiled functions are from the C library's, in units in the last place.

namespace ardea::functions_test {

struct References;  ///< the C library's functions

/// The largest error met, and where.
struct Worst {
  double ulp = 0;  ///< infinite where a special value is wrong
  double x = 0, y = 0, got = 0;
  double wanted = 0;
  std::int64_t count = 0;

  void meet(const Worst& other);
};

/// out[i] = function(x[i]) over a block, `lanes` at a time.
Function program_of(const std::string& function, DataType type, int lanes);

/// One function of one type, compiled as a vector program over blocks of arguments.
class Subject {
 public:
  static constexpr std::int64_t block = 4096;

  struct Options {
    int lanes = 16;  ///< 1: a loop over scalars
    bool contract = true;
    int optimization_level = 3;
  };

  Subject(std::string function, DataType type, const target::Target& target, Options options);
  Subject(std::string function, DataType type, const target::Target& target)
      : Subject(std::move(function), type, target, Options{}) {}

  /// The errors at these arguments; `y` is empty for functions of one. Many threads may do so at once.
  Worst measure(const std::vector<double>& x, const std::vector<double>& y = {}) const;

  const std::string& function() const { return function_; }
  DataType type() const { return type_; }
  int arity() const { return arity_; }

 private:
  std::string function_;
  DataType type_;
  int arity_, lanes_;
  const References* references_;
  runtime::Function compiled_;
};

/// "float32 sin(0x1.8p+3) = …": what was found, for a failure's message.
std::string describe(const Subject& subject, const Worst& worst);

/// Arguments: any float64 bit pattern in half of the cases, else numbers of a size where functions are busy.
double random_argument(Random& random, DataType type);
/// Neighbours (`reach` on each side) of the places where something changes: zeros, limits, overflow and
/// underflow, changes of formula, multiples of pi / 2, integers.
std::vector<double> special_arguments(DataType type, int reach);

}  // namespace ardea::functions_test
