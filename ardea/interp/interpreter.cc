#include "ardea/interp/interpreter.h"

#include "ardea/interp/arguments.h"
#include "ardea/interp/executor.h"
#include "ardea/ir/print.h"
#include "ardea/support/error.h"

namespace ardea::interp {

void run(const Function& f, const std::vector<Argument>& arguments, const Options& options) {
  Machine machine{options};
  Executor executor(machine, f);
  const std::vector<std::unique_ptr<Allocation>> memories = bind_arguments(f, arguments, options, executor);
  if (has_nothing_to_do(f, arguments)) return;
  for (const Expr& condition : f.assumptions)
    require(executor.evaluate_integer(condition) != 0, "{}: the sizes must fulfil {}, and they do not",
            f.name, print(condition));
  executor.execute(f.body);
  executor.finish();
}

}  // namespace ardea::interp
