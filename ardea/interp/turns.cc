#include "ardea/interp/turns.h"

#include <system_error>
#include <utility>

#include "ardea/support/error.h"

namespace ardea::interp {

Turns::Turns(int count, std::function<void(int)> body)
    : body_(std::move(body)), workers_(static_cast<std::size_t>(count)) {
  try {
    for (int t = 0; t < count; ++t)
      workers_[static_cast<std::size_t>(t)].thread = std::thread([this, t] { main(t); });
  } catch (const std::system_error&) {
    end_threads();
    fail("the interpreter cannot start the {} threads of a block on this machine; run a smaller block",
         count);
  }
}

Turns::~Turns() { end_threads(); }

void Turns::end_threads() {
  cancelled_ = true;
  for (std::size_t t = 0; t < workers_.size(); ++t) {
    if (!workers_[t].thread.joinable()) continue;
    if (!workers_[t].finished) {
      give_turn(static_cast<int>(t));
      wait_for_turn(owner);
    }
    workers_[t].thread.join();
  }
}

std::condition_variable& Turns::wake_of(int who) {
  return who == owner ? wake_owner_ : workers_[static_cast<std::size_t>(who)].wake;
}

void Turns::give_turn(int to) {
  const std::lock_guard lock(mutex_);
  turn_ = to;
  wake_of(to).notify_one();
}

void Turns::wait_for_turn(int who) {
  std::unique_lock lock(mutex_);
  wake_of(who).wait(lock, [&] { return turn_ == who; });
}

void Turns::main(int thread) {
  Worker& self = workers_[static_cast<std::size_t>(thread)];
  wait_for_turn(thread);
  try {
    if (!cancelled_) body_(thread);
  } catch (const Cancelled&) {  // NOLINT(bugprone-empty-catch): another thread failed, or the owner gave up
  } catch (...) {
    self.error = std::current_exception();
  }
  self.finished = true;
  give_turn(owner);
}

void Turns::resume(int thread) {
  give_turn(thread);
  wait_for_turn(owner);
  Worker& worker = workers_[static_cast<std::size_t>(thread)];
  if (worker.error) std::rethrow_exception(std::exchange(worker.error, nullptr));
}

void Turns::pause(int thread) {
  give_turn(owner);
  wait_for_turn(thread);
  if (cancelled_) throw Cancelled{};
}

}  // namespace ardea::interp
