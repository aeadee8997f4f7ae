#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

#include "ardea/measure/trials.h"

namespace ardea::measure {

/// A task as it goes to a worker: from_message(to_message(t)) is t. `folder` has the files that workers
/// share.
nlohmann::json to_message(const TrialTask& task, const std::filesystem::path& folder);

struct ReceivedTask {
  TrialTask task;
  std::filesystem::path folder;
};
ReceivedTask from_message(const nlohmann::json& message);

/// A time as workers are told it, and tell it: [median, low, high].
nlohmann::json time_to_json(const CallTime& time);
CallTime time_from_json(const nlohmann::json& numbers);

}  // namespace ardea::measure
