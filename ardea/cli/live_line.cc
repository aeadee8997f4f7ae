#include "ardea/cli/live_line.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "ardea/runtime/time_evaluator.h"

namespace ardea::cli {

namespace {

constexpr double live_pause_s = 0.5, first_pause_s = 2, longest_pause_s = 30;
/// Carriage return, and whatever the line was is gone.
constexpr const char* line_anew = "\r\x1b[K";

}  // namespace

LiveLine::LiveLine()
    : is_live_(isatty(STDERR_FILENO) == 1),
      start_(runtime::steady_seconds()),
      next_(start_ + (is_live_ ? live_pause_s : first_pause_s)),
      pause_(is_live_ ? live_pause_s : first_pause_s) {}

LiveLine::~LiveLine() {
  if (is_shown_ && is_live_) std::fputs(line_anew, stderr);
}

double LiveLine::seconds() const { return runtime::steady_seconds() - start_; }

void LiveLine::tell(const std::function<std::string()>& line) {
  const double now = runtime::steady_seconds();
  if (now < next_) return;
  is_shown_ = true;
  const std::string text = line();
  if (is_live_) {
    std::fprintf(stderr, "%s%s", line_anew, text.c_str());
    std::fflush(stderr);
  } else {
    std::fprintf(stderr, "%s\n", text.c_str());
    pause_ = std::min(2 * pause_, longest_pause_s);
  }
  next_ = now + pause_;
}

}  // namespace ardea::cli
