#include "ardea/cli/interrupt.h"

#include <csignal>

namespace ardea::cli {

namespace {

/// Signals have no other place to leave word.
volatile std::sig_atomic_t interrupt_noted = 0;
struct sigaction before = {};

void note_interrupt(int) { interrupt_noted = 1; }

}  // namespace

Interrupt::Interrupt() {
  interrupt_noted = 0;
  sigaction(SIGINT, nullptr, &before);
  if (before.sa_handler == SIG_IGN) return;
  struct sigaction once = {};
  once.sa_handler = note_interrupt;
  // What was there returns with the first: the second is not for us. Calls in other threads go on.
  once.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
  sigemptyset(&once.sa_mask);
  sigaction(SIGINT, &once, nullptr);
}

Interrupt::~Interrupt() { sigaction(SIGINT, &before, nullptr); }

bool Interrupt::is_asked_for() const { return interrupt_noted != 0; }

}  // namespace ardea::cli
