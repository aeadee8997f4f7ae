#include "ardea/interp/turns.h"

#include <new>
#include <utility>

#include "ardea/support/error.h"

namespace ardea::interp {

Turns::Turns(int count, std::function<void(int)> body) : body_(std::move(body)) {
  try {
    stacks_.emplace(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i)
      players_.emplace_back(stacks_->stack(static_cast<std::size_t>(i)), [this, i] { play(i); });
  } catch (const std::bad_alloc&) {
    fail("this machine has no memory for the stacks of the {} threads of a block; run a smaller block",
         count);
  }
}

Turns::~Turns() {
  cancelled_ = true;
  for (Fiber& player : players_)
    if (player.has_begun() && !player.has_ended()) player.resume();
}

void Turns::play(int number) {
  try {
    body_(number);
  } catch (const Cancelled&) {  // NOLINT(bugprone-empty-catch): another one failed, or the owner gave up
  } catch (...) {
    error_ = std::current_exception();
  }
}

void Turns::resume(int number) {
  players_[static_cast<std::size_t>(number)].resume();
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

void Turns::pause(int number) {
  players_[static_cast<std::size_t>(number)].pause();
  if (cancelled_) throw Cancelled{};
}

}  // namespace ardea::interp
