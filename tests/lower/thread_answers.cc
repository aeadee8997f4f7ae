#include "thread_answers.h"

#include "ardea/support/error.h"

namespace ardea::lower {

ThreadAnswers::ThreadAnswers(const Program& program, std::uint64_t seed)
    : program_(function_of(program)), given_(arguments_of(program_, program, seed)), wanted_(copies(given_)) {
  interp::run(program_, wanted_);
}

std::string ThreadAnswers::fault_of(const Function& f, std::uint64_t order) const {
  std::vector<interp::Argument> got = copies(given_);
  try {
    interp::run(f, got, {.seed = order});
  } catch (const Error& error) {
    return error.what();
  }
  return difference(wanted_, got, 0);
}

}  // namespace ardea::lower
