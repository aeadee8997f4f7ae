#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "ardea/cli/tune_session.h"

namespace ardea::cli {

/// Default and tuned side by side, the libraries, where it is recorded, and what to run next.
std::string tune_text(const TuneReport& report);
nlohmann::json tune_json(const TuneReport& report);

/// A line a trial: number, operations a second, what came of it, its time, its ways and knobs.
std::string csv_header();
std::string csv_line(const db::Trial& trial, const std::optional<measure::Work>& work);

/// "3 crashed, 1 timed out"; "none failed".
std::string failures_text(const std::map<TrialOutcome, std::int64_t>& failures);

}  // namespace ardea::cli
