#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ardea/interp/interpreter.h"
#include "ardea/measure/check.h"

namespace ardea::rules {

/// What a program computes of arguments by chance, by the interpreter: computed once, for all that is made of
/// the program.
class Answers {
 public:
  /// `sizes` are those that only a call knows.
  explicit Answers(const Function& program, const std::map<std::string, std::int64_t>& sizes = {});

  /// Fails the test where the interpreter finds that the program computes something else.
  void expect_of(const Function& made) const;

 private:
  std::vector<interp::Argument> given_;
  measure::Expectation expected_;
};

}  // namespace ardea::rules
