#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "ardea/measure/trials.h"
#include "ardea/tune/points.h"

namespace ardea::tune {

/// Who says how fast candidates are: processes that run them, a database that remembers, a formula in a test.
class Measurer {
 public:
  virtual ~Measurer() = default;

  /// Told in order, each as soon as all before it are known.
  using Told = std::function<void(std::size_t, const measure::TrialReport&)>;
  /// In the order of the candidates; fewer where `stop` said so.
  virtual std::vector<measure::TrialReport> measure(const std::vector<Candidate>& candidates,
                                                    const std::function<bool()>& stop, const Told& told) = 0;

  struct Duel {
    std::vector<measure::Duelist> duelists;  ///< in the order of the candidates
    std::optional<std::size_t> winner = {};  ///< nothing where none was timed
  };
  /// In turns, for so many seconds, beside the first one. Of those in `may_win` one wins (winner_of).
  virtual Duel duel(const std::vector<Candidate>& candidates, const std::vector<bool>& may_win,
                    double seconds) = 0;
};

/// The one with the least time beside the first; of equal ones the first. Where the first may win, another
/// wins only if it is clearly faster: its whole interval is.
std::optional<std::size_t> winner_of(const std::vector<measure::Duelist>& duelists,
                                     const std::vector<bool>& may_win);

/// In worker processes.
std::unique_ptr<Measurer> measured_by_workers(measure::TrialTask task, measure::TrialOptions options = {});

}  // namespace ardea::tune
