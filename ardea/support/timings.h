#pragma once

#include <string>
#include <string_view>
#include <vector>

/// Where the time of a compilation goes: sections of code say what they are, and whoever wants to know
/// listens.

namespace ardea {

/// What this thread has computed for so far. Not the time of the day: on a machine that others use, only this
/// says what a piece of work costs.
double processor_seconds();

/// While it lives, the sections that end on its thread are added to it. The newest one listens.
class Timings {
 public:
  struct Section {
    std::string part;    ///< of the compiler: "schedule", "lower", …
    std::string name;    ///< the step or the pass
    double seconds = 0;  ///< of processor_seconds
  };

  Timings();
  ~Timings();
  Timings(const Timings&) = delete;
  Timings& operator=(const Timings&) = delete;

  /// In the order in which they ended.
  const std::vector<Section>& sections() const { return sections_; }

 private:
  friend class TimedSection;
  std::vector<Section> sections_;
  Timings* outer_;
};

/// From here to the end of the scope. Sections of one part do not hold each other, so that their times add
/// up; those that an exception ends count, too. Costs next to nothing where nobody listens.
class TimedSection {
 public:
  TimedSection(const char* part, std::string_view name);
  ~TimedSection();
  TimedSection(const TimedSection&) = delete;
  TimedSection& operator=(const TimedSection&) = delete;

 private:
  Timings* listener_;
  const char* part_;
  std::string name_;
  double start_ = 0;
};

}  // namespace ardea
