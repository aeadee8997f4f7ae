#pragma once

#include <deque>
#include <exception>
#include <functional>
#include <optional>

#include "ardea/interp/fiber.h"

namespace ardea::interp {

/// Computations of which exactly one runs at a time, or none while the owner decides who is next: the order
/// is the owner's, so it can be drawn from a seed and repeated. All run on the owner's thread.
class Turns {
 public:
  /// Of `count`, each waiting for its first turn to run body(number).
  Turns(int count, std::function<void(int)> body);
  /// Ends those that have begun and not finished: their pause() throws through their frames.
  ~Turns();
  Turns(const Turns&) = delete;
  Turns& operator=(const Turns&) = delete;

  /// Gives the turn to one that has not finished; returns when it pauses or finishes. Rethrows what it threw.
  void resume(int number);
  bool finished(int number) const { return players_[static_cast<std::size_t>(number)].has_ended(); }

  /// Called by the one that has the turn: gives it back, and returns at the next resume.
  void pause(int number);

 private:
  struct Cancelled {};

  void play(int number);

  std::function<void(int)> body_;
  std::optional<FiberStacks> stacks_;
  std::deque<Fiber> players_;
  std::exception_ptr error_;  ///< of the last one that had the turn
  bool cancelled_ = false;
};

}  // namespace ardea::interp
