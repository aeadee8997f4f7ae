#pragma once

#include "programs.h"

namespace ardea::lower {

/// What a program of threads computes of arguments by chance where its threads run one after the other.
class ThreadAnswers {
 public:
  ThreadAnswers(const Program& program, std::uint64_t seed);

  const Function& program() const { return program_; }

  /// What stopped f, whose threads run in an order of nobody's choice, or where its answers differ; empty
  /// where they are right.
  std::string fault_of(const Function& f, std::uint64_t order) const;

 private:
  Function program_;
  std::vector<interp::Argument> given_, wanted_;
};

}  // namespace ardea::lower
