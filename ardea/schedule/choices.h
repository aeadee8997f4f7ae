#pragma once

#include <string>
#include <vector>

#include "ardea/schedule/argument.h"

namespace ardea::schedule {

class Schedule;

/// Who decides what a schedule with knobs leaves open (config.h): somebody by hand, or a space of which each
/// decision is a part.
class Choices {
 public:
  virtual ~Choices() = default;

  /// One of some numbers, to which the default is added. The name is the knob's.
  virtual Number number(const std::string& name, std::vector<std::int64_t> values,
                        std::int64_t otherwise) = 0;
  /// Factors whose product is the extent of a loop, outermost first, the last of them at most
  /// `most_innermost`; knobs `name_0`, `name_1`, …
  virtual std::vector<Number> tile(const std::string& name, const LoopRef& loop, std::int64_t most_innermost,
                                   const std::vector<std::int64_t>& otherwise) = 0;
  /// One of several ways to go on; the place of the answer.
  virtual std::size_t way(const std::string& question, const std::vector<std::string>& answers,
                          std::size_t otherwise) = 0;
  /// A condition on the numbers that no step needs.
  virtual void keep_to(const Expr& condition, const std::string& name, const std::string& reason) = 0;
};

/// The code of a Refused where numbers that were chosen by hand break a condition.
inline constexpr auto condition_is_broken = "condition_is_broken";

/// Every decision is the default, or drawn from the schedule's seed. Numbers are sampling steps, so that the
/// trace keeps what was decided.
class ChoicesByHand : public Choices {
 public:
  ChoicesByHand(Schedule& steps, bool draws) : steps_(steps), draws_(draws) {}
  Number number(const std::string& name, std::vector<std::int64_t> values, std::int64_t otherwise) override;
  std::vector<Number> tile(const std::string& name, const LoopRef& loop, std::int64_t most_innermost,
                           const std::vector<std::int64_t>& otherwise) override;
  std::size_t way(const std::string& question, const std::vector<std::string>& answers,
                  std::size_t otherwise) override;
  /// Refused as condition_is_broken where it does not hold.
  void keep_to(const Expr& condition, const std::string& name, const std::string& reason) override;

 private:
  Number chosen(const std::string& name, const NumberRef& number);

  Schedule& steps_;
  const bool draws_;
  std::vector<std::string> chosen_;  ///< "tile_m_1 = 4", for sentences
};

}  // namespace ardea::schedule
