#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "ardea/cli/rates.h"
#include "ardea/tune/best.h"

/// The best of a task, told: what `ardea best` and `ardea db best` answer.

namespace ardea::cli {

struct BestReport {
  tune::Best best;
  std::string title;                               ///< the workload, without what is the default
  std::optional<Rates> rates = {};                 ///< nothing where the work cannot be counted
  std::optional<double> default_s = {};            ///< what the model chooses, in the same duel
  std::map<std::string, double> libraries_s = {};  ///< by name, as recorded last
};

/// Nothing where no trial was timed.
std::optional<BestReport> best_report(const db::Database& database, const db::KeptTask& entry);

std::string best_text(const BestReport& report);
nlohmann::json best_json(const BestReport& report);

/// Rates of a call that took so long, of a task whose program is kept as text.
std::optional<Rates> rates_of(const db::Task& task, double seconds,
                              const std::optional<std::map<std::string, double>>& peaks);

/// What people call a task: the workload without what is the default.
std::string title_of(const db::Task& task);

/// The object of the newest note of that name; null where there is none.
nlohmann::json newest_note(const db::Kept<db::Note>& notes, const std::string& name);

}  // namespace ardea::cli
