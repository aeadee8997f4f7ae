#include "ardea/cli/progress.h"

#include <fmt/format.h>
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

Progress::Progress(std::string what, std::size_t all)
    : what_(std::move(what)),
      all_(all),
      is_live_(isatty(STDERR_FILENO) == 1),
      start_(runtime::steady_seconds()),
      next_(start_ + (is_live_ ? live_pause_s : first_pause_s)),
      pause_(is_live_ ? live_pause_s : first_pause_s) {}

Progress::~Progress() {
  if (is_shown_ && is_live_) std::fputs(line_anew, stderr);
}

void Progress::tell(std::size_t done, std::size_t invalid) {
  const double now = runtime::steady_seconds();
  if (now < next_ || done >= all_) return;
  is_shown_ = true;
  const std::string text = line(done, invalid, now - start_);
  if (is_live_) {
    std::fprintf(stderr, "%s%s", line_anew, text.c_str());
    std::fflush(stderr);
  } else {
    std::fprintf(stderr, "%s\n", text.c_str());
    pause_ = std::min(2 * pause_, longest_pause_s);
  }
  next_ = now + pause_;
}

std::string Progress::line(std::size_t done, std::size_t invalid, double seconds) const {
  const double rate = static_cast<double>(done) / seconds;
  const double left = static_cast<double>(all_ - done) / std::max(rate, 1e-9);
  return fmt::format("{}: {} of {} samples, {} invalid; {:.1f} a second, about {:.0f} s left", what_, done,
                     all_, invalid, rate, left);
}

}  // namespace ardea::cli
