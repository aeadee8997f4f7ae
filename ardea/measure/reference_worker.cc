#include <nlohmann/json.hpp>

#include "ardea/measure/check.h"
#include "ardea/measure/inputs.h"
#include "ardea/measure/memory_bound.h"
#include "ardea/measure/worker_kinds.h"

namespace ardea::measure {

Answer reference_worker(const ReceivedTask& received) {
  return [received](const nlohmann::json&) -> nlohmann::json {
    const TrialTask& task = received.task;
    const std::vector<interp::Argument> arguments =
        make_arguments(task.program, {.seed = task.seed, .sizes = task.sizes});
    const std::filesystem::path folder = reference_folder(received.folder);
    std::filesystem::create_directories(folder);
    // A tuner waits for it: where the interpreter would take more than a moment, compiled code does it.
    constexpr double moment = 1e6;
    const bool is_long = interpreter_work(task.program, arguments) > moment;
    Expectation(task.program, arguments, is_long ? Reference::compiled : Reference::automatic).save(folder);
    const std::optional<Work> work = count_work(task.program, arguments);
    // What a runner keeps: arguments and their copies, expected values and bounds as float64.
    std::int64_t bytes = 0;
    for (const interp::Argument& argument : arguments)
      if (const auto* array = std::get_if<runtime::Array>(&argument))
        bytes += 2 * array->byte_size() + 16 * array->element_count();
    return {{"bytes", bytes}, {"memory_bound", work && is_memory_bound(*work, task.target)}};
  };
}

}  // namespace ardea::measure
