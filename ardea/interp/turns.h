#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace ardea::interp {

/// Threads of which exactly one runs at a time, or none while the owner decides who is next: the order is the
/// owner's, so it can be drawn from a seed and repeated.
class Turns {
 public:
  /// Starts `count` threads, each waiting for its first turn to run body(thread).
  Turns(int count, std::function<void(int)> body);
  /// Ends the threads that have not finished: their pause() throws through their frames.
  ~Turns();
  Turns(const Turns&) = delete;
  Turns& operator=(const Turns&) = delete;

  /// Gives the turn to a thread that has not finished; returns when it pauses or finishes. Rethrows what it
  /// threw.
  void resume(int thread);
  bool finished(int thread) const { return workers_[static_cast<std::size_t>(thread)].finished; }

  /// Called on a thread that has the turn: gives it back, and returns at the next resume.
  void pause(int thread);

 private:
  struct Cancelled {};
  struct Worker {
    std::thread thread;
    std::condition_variable wake;
    bool finished = false;
    std::exception_ptr error;
  };

  void main(int thread);
  void give_turn(int to);
  void wait_for_turn(int who);
  std::condition_variable& wake_of(int who);
  void end_threads();

  static constexpr int owner = -1;
  std::function<void(int)> body_;
  std::mutex mutex_;
  int turn_ = owner;
  bool cancelled_ = false;
  std::condition_variable wake_owner_;
  std::vector<Worker> workers_;
};

}  // namespace ardea::interp
