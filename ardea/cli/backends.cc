#include "ardea/cli/backends.h"

#include "ardea/cli/output.h"
#include "ardea/compile/compile.h"
#include "ardea/compile/compile_by_c.h"
#include "ardea/runtime/time_evaluator.h"
#include "ardea/support/error.h"
#include "ardea/support/text.h"

namespace ardea::cli {

std::vector<runtime::Value> values_of(const std::vector<interp::Argument>& arguments) {
  std::vector<runtime::Value> values;
  for (const interp::Argument& argument : arguments)
    std::visit([&](const auto& value) { values.emplace_back(value); }, argument);
  return values;
}

Runnable on_backend(const Function& f, const std::string& backend) {
  if (backend == "interp")
    return {[f](const std::vector<interp::Argument>& arguments) { interp::run(f, arguments); }};
  const std::vector<std::string> backends = {"llvm", "c", "interp"};
  require(backend == "llvm" || backend == "c", "--backend {}: there is no such backend, use one of {}{}",
          backend, join(backends, ", "), did_you_mean(backend, backends));
  const compile::Options options{.note = write_note};
  const double start = runtime::steady_seconds();
  runtime::Function function = backend == "c" ? compile::compile_by_c(f, target::host(), options)
                                              : compile::callable(f, target::host(), options);
  const double compile_s = runtime::steady_seconds() - start;
  return {[function](const std::vector<interp::Argument>& arguments) { function.call(values_of(arguments)); },
          function, compile_s};
}

std::optional<measure::PackedWeights> packed_weights(const Program& program, const std::string& backend) {
  if (!program.packed_parameter) return std::nullopt;
  const Function& pack = program.module.functions[1];
  return measure::PackedWeights{*program.packed_parameter, pack, on_backend(pack, backend).run};
}

}  // namespace ardea::cli
