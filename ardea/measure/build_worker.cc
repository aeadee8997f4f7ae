#include <nlohmann/json.hpp>

#include "ardea/compile/compile.h"
#include "ardea/compile/cuda_code_file.h"
#include "ardea/ir/fold_literals.h"
#include "ardea/ir/print.h"
#include "ardea/measure/worker_kinds.h"
#include "ardea/runtime/time_evaluator.h"
#include "ardea/schedule/replay_trace.h"
#include "ardea/schedule/separate_packing.h"
#include "ardea/support/error.h"
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

std::filesystem::path packing_beside(const std::filesystem::path& object) {
  return object.string() + ".pack";
}

Answer build_worker(const ReceivedTask& received) {
  return [replays = std::make_shared<Replays>(received.task.program), target = received.task.target,
          prepacked = received.task.prepacked](const nlohmann::json& request) -> nlohmann::json {
    const double start = runtime::steady_seconds();
    const Function program = replays->scheduled(request.at("trace").get<std::string>());
    const auto file = request.at("object").get<std::string>();
    const auto seconds = [&] { return nlohmann::json{{"seconds", runtime::steady_seconds() - start}}; };
    if (target.kind == target::Kind::cuda) {
      const compile::CudaCode code = compile::cuda_code(program, target);
      require(code.spilled_bytes == 0,
              "{} spills {} bytes of a thread's registers to memory on {}; give each thread less to hold",
              program.name, code.spilled_bytes, target.name);
      compile::write_cuda_code(file, code);
      return seconds();
    }
    Module module{{}, {program}};
    if (!prepacked.empty()) {
      schedule::SeparatedPacking separated = schedule::separate_packing(program, prepacked);
      write_whole_file(packing_beside(file), {print(separated.pack)});
      module.functions = {std::move(separated.main), std::move(separated.pack)};
    }
    write_whole_file(file, {compile::object_code(module, target)});
    return seconds();
  };
}

}  // namespace ardea::measure
