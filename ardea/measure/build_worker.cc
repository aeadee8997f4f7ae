#include <nlohmann/json.hpp>

#include "ardea/compile/compile.h"
#include "ardea/ir/fold_literals.h"
#include "ardea/measure/worker_kinds.h"
#include "ardea/runtime/time_evaluator.h"
#include "ardea/schedule/replay_trace.h"
#include "ardea/support/whole_file.h"

namespace ardea::measure {

namespace {

/// Schedules of one program. Those that begin alike, as points of one sketch do, take their first steps once.
class Replays {
 public:
  explicit Replays(Function program) : program_(std::move(program)) {}

  Function scheduled(const std::string& trace) {
    const schedule::Schedule schedule = schedule::replay_trace(program_, trace, history_);
    history_ = schedule.history();
    return fold_literals(schedule.program());
  }

 private:
  Function program_;
  schedule::Schedule::History history_;
};

}  // namespace

Answer build_worker(const ReceivedTask& received) {
  return [replays = std::make_shared<Replays>(received.task.program),
          target = received.task.target](const nlohmann::json& request) -> nlohmann::json {
    const double start = runtime::steady_seconds();
    const Function program = replays->scheduled(request.at("trace").get<std::string>());
    const std::string object = compile::object_code(Module{{}, {program}}, target);
    write_whole_file(request.at("object").get<std::string>(), {object});
    return {{"seconds", runtime::steady_seconds() - start}};
  };
}

}  // namespace ardea::measure
