#pragma once

#include "programs.h"

/// Small programs for GPUs with odd shapes: what threads share, keep for themselves and exchange.

namespace ardea::lower {

struct ThreadProgram {
  Program program;
  int barriers = 0;  ///< that it needs, no more and no fewer
};

inline std::ostream& operator<<(std::ostream& out, const ThreadProgram& thread_program) {
  return out << thread_program.program.name;
}

const std::vector<ThreadProgram>& thread_programs();

/// How many barriers there are, and f without the one of that number.
int barriers_in(const Function& f);
Function without_barrier(const Function& f, int number);

}  // namespace ardea::lower
