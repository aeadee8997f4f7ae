#include "ardea/support/timings.h"

namespace ardea {

namespace {

thread_local Timings* listening = nullptr;

}  // namespace

Timings::Timings() : outer_(listening) { listening = this; }
Timings::~Timings() { listening = outer_; }

TimedSection::TimedSection(const char* part, std::string_view name) : listener_(listening), part_(part) {
  if (listener_ == nullptr) return;
  name_ = name;
  start_ = std::chrono::steady_clock::now();
}

TimedSection::~TimedSection() {
  if (listener_ == nullptr) return;
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start_;
  listener_->sections_.push_back({part_, std::move(name_), passed.count()});
}

}  // namespace ardea
