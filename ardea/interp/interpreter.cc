#include "ardea/interp/interpreter.h"

#include "ardea/interp/arguments.h"
#include "ardea/interp/executor.h"

namespace ardea::interp {

void run(const Function& f, const std::vector<Argument>& arguments, const Options& options) {
  Machine machine{options};
  Executor executor(machine, f);
  const BoundMemory memory = bind_arguments(f, arguments, options, executor);
  if (!memory) return;
  executor.execute(f.body);
  executor.finish();
}

}  // namespace ardea::interp
