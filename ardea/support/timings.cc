#include "ardea/support/timings.h"

#include <ctime>

namespace ardea {

namespace {

thread_local Timings* listening = nullptr;

}  // namespace

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

Timings::Timings() : outer_(listening) { listening = this; }
Timings::~Timings() { listening = outer_; }

TimedSection::TimedSection(const char* part, std::string_view name) : listener_(listening), part_(part) {
  if (listener_ == nullptr) return;
  name_ = name;
  start_ = processor_seconds();
}

TimedSection::~TimedSection() {
  if (listener_ == nullptr) return;
  listener_->sections_.push_back({part_, std::move(name_), processor_seconds() - start_});
}

}  // namespace ardea
