#pragma once

namespace ardea::cli {

/// While it lives, the first interrupt (SIGINT, as by Ctrl-C) asks for an early end, so that what is done so
/// far is answered; the second ends the program as ever. Where interrupts are ignored they stay so. One at a
/// time.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  bool is_asked_for() const;
};

}  // namespace ardea::cli
