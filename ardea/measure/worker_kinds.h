#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <stdexcept>

#include "ardea/measure/task_message.h"

/// What each kind of worker does with a request.

namespace ardea::measure {

/// The answer to a request; what it throws becomes a failed answer.
using Answer = std::function<nlohmann::json(const nlohmann::json& request)>;

using MakeWorker = std::function<Answer(const ReceivedTask& task)>;

/// The whole life of a worker (worker.h). `usual`: the outcome of a request that failed by an Error.
int serve(const MakeWorker& make, TrialOutcome usual);

/// {"id", "trace", "object"} → {"id", "seconds"}, with the object's file and, of prepacked ones,
/// packing_beside
Answer build_worker(const ReceivedTask& received);
/// {"id", "object", "incumbent", "rival", "precision", "timing_s"} → {"id", "time", "raced", "canary",
/// "ratio", "rival_time"}: the last two where the candidate is near the incumbent, whose object file is the
/// rival
/// {"id", "duel": [object, …], "seconds"} → {"id", "duel": [{"time", "ratio"}, …]}
Answer run_worker(const ReceivedTask& received);
/// The same where the target is a GPU, without a canary: objects are programs as compile::write_cuda_code
/// writes them.
Answer gpu_run_worker(const ReceivedTask& received);
/// {"id"} → {"id", "memory_bound", "bytes"}: how much memory the arguments and the reference take in a runner
Answer reference_worker(const ReceivedTask& received);

/// What a failed answer says: an outcome other than timed, and a sentence.
class TrialFailure : public std::runtime_error {
 public:
  TrialFailure(TrialOutcome outcome, const std::string& sentence)
      : std::runtime_error(sentence), outcome(outcome) {}
  TrialOutcome outcome;
};

/// The sentence of a request for which there was not enough memory: what it took may be lost to the process.
inline constexpr auto out_of_memory = "there is not enough memory for it";

/// The text of the function that packs weights (TrialTask::prepacked), beside the object file that has it.
std::filesystem::path packing_beside(const std::filesystem::path& object);

/// The folder of the reference among the files that workers share.
std::filesystem::path reference_folder(const std::filesystem::path& shared);

}  // namespace ardea::measure
