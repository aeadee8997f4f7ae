#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ardea/measure/check.h"
#include "ardea/rules/program_space.h"

namespace ardea::cli {

/// Makes programs of points, and tries them.
class PointCheck {
 public:
  /// Inputs by the seed; what the program makes of them is computed once. Where only a call knows a size, it
  /// is tried with several: one, odd ones, one that no tile is longer than.
  PointCheck(const rules::ProgramSpace& space, std::uint64_t seed);

  /// What is wrong with a choice, in a sentence; empty where nothing is: it applies, is the sketch with its
  /// numbers, takes of the machine no more than was predicted, and computes what the program does.
  std::string fault_of(const rules::Choice& choice) const;
  /// After each choice, by one thread at a time: how many are checked, and how many of these are invalid.
  /// False ends it: no further choice is begun.
  using Watch = std::function<bool(std::size_t checked, std::size_t invalid)>;
  /// The same of many, in their order, by all threads; nothing for those that were not checked. Equal choices
  /// are tried once.
  std::vector<std::optional<std::string>> faults_of(const std::vector<rules::Choice>& choices,
                                                    const Watch& watch) const;

 private:
  const rules::ProgramSpace& space_;
  bool runs_here_;
  struct Call {
    std::string sizes;  ///< in words
    std::vector<interp::Argument> given;
    measure::Expectation expected;
  };
  /// What is wrong with the compiled program's answers.
  std::string wrong_answer(const Function& program) const;

  std::vector<Call> calls_;
};

}  // namespace ardea::cli
