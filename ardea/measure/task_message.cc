#include "ardea/measure/task_message.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "ardea/arith/load.h"
#include "ardea/ir/print.h"

namespace ardea::measure {

nlohmann::json to_message(const TrialTask& task, const std::filesystem::path& folder) {
  // A program for some of the cores is still for a machine whose caches more of them share: no record says
  // so.
  target::Target whole = task.target;
  for (const target::Cache& cache : whole.caches) whole.cores = std::max(whole.cores, cache.shared_by_cores);
  return {{"program", print(task.program)},
          {"target", target::to_json(whole)},
          {"cores", task.target.cores},
          {"threads", task.threads},
          {"seed", task.seed},
          {"sizes", task.sizes},
          {"prepacked", task.prepacked},
          {"folder", folder.string()}};
}

ReceivedTask from_message(const nlohmann::json& message) {
  ReceivedTask received{
      {.program = arith::load_program(message.at("program").get<std::string>(), "task").functions.at(0),
       .target = target::from_json(message.at("target")),
       .threads = message.at("threads"),
       .seed = message.at("seed"),
       .sizes = message.at("sizes"),
       .prepacked = message.at("prepacked")},
      message.at("folder").get<std::string>()};
  received.task.target.cores = message.at("cores");
  return received;
}

nlohmann::json time_to_json(const CallTime& time) { return {time.median_s, time.low_s, time.high_s}; }
CallTime time_from_json(const nlohmann::json& numbers) {
  return {numbers.at(0), numbers.at(1), numbers.at(2)};
}

}  // namespace ardea::measure
