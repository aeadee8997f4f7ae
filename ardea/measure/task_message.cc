#include "ardea/measure/task_message.h"

#include <nlohmann/json.hpp>

#include "ardea/arith/load.h"
#include "ardea/ir/print.h"

namespace ardea::measure {

nlohmann::json to_message(const TrialTask& task, const std::filesystem::path& folder) {
  return {{"program", print(task.program)},
          {"target", target::to_json(task.target)},
          {"threads", task.threads},
          {"seed", task.seed},
          {"sizes", task.sizes},
          {"folder", folder.string()}};
}

ReceivedTask from_message(const nlohmann::json& message) {
  return {{.program = arith::load_program(message.at("program").get<std::string>(), "task").functions.at(0),
           .target = target::from_json(message.at("target")),
           .threads = message.at("threads"),
           .seed = message.at("seed"),
           .sizes = message.at("sizes")},
          message.at("folder").get<std::string>()};
}

}  // namespace ardea::measure
