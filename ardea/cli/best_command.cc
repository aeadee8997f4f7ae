#include <nlohmann/json.hpp>

#include "ardea/cli/best_report.h"
#include "ardea/cli/commands.h"
#include "ardea/cli/output.h"
#include "ardea/cli/tuned.h"
#include "ardea/ir/print.h"
#include "ardea/support/error.h"
#include "ardea/tune/task.h"

namespace ardea::cli {

int best(const BestOptions& options) {
  // What `ardea tune` would be told.
  if (options.program.program.empty())
    return answer_best(
        {.command = "best", .db = options.db, .json = options.json}, [](const db::Task&) { return true; },
        "");
  ProgramOptions written = options.program;
  written.schedule = "none";
  written.prepacked = false;
  const Program program = load_program(written, target::host());
  require(program.module.functions.size() == 1, "best {}: it has {} functions, and programs of one are tuned",
          program.title, program.module.functions.size());
  const std::string text = print(program.module.functions[0]);
  return answer_best(
      {.command = "best", .db = options.db, .json = options.json},
      [&](const db::Task& task) {
        return task.program == text && (!options.program.prepacked || tune::is_prepacked(task));
      },
      fmt::format(" of {0}; `ardea tune {0}` makes one, `ardea best` tells what there is",
                  program.title + (options.program.prepacked ? " --prepacked" : "")));
}

}  // namespace ardea::cli
