#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "ardea/cli/tune_session.h"

namespace ardea::cli {

/// Default and tuned side by side, the libraries, where it is recorded, and what to run next.
std::string tune_text(const TuneReport& report);
nlohmann::json tune_json(const TuneReport& report);

/// "3 crashed, 1 timed out"; "none failed".
std::string failures_text(const std::map<TrialOutcome, std::int64_t>& failures);

}  // namespace ardea::cli
