#include "ardea/cli/backends.h"

#include <algorithm>

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

std::string backend_of(const target::Target& target) {
  return target.kind == target::Kind::cuda ? "cuda" : "llvm";
}

Runnable on_backend(const Function& f, const std::string& backend, const target::Target& target) {
  if (backend == "interp")
    return {[f](const std::vector<interp::Argument>& arguments) { interp::run(f, arguments); }};
  const std::vector<std::string> backends = {"llvm", "c", "cuda", "interp"};
  require(std::find(backends.begin(), backends.end(), backend) != backends.end(),
          "--backend {}: there is no such backend, use one of {}{}", backend, join(backends, ", "),
          did_you_mean(backend, backends));
  require((backend == "cuda") == (target.kind == target::Kind::cuda),
          "--backend {}: it makes no code for target {}; use {}", backend, target.name, backend_of(target));
  const compile::Options options{.note = write_note};
  const double start = runtime::steady_seconds();
  std::optional<compile::CudaProgram> on_gpu;
  if (backend == "cuda") on_gpu.emplace(compile::cuda_code(f, target, options), target);
  runtime::Function function = on_gpu           ? on_gpu->function()
                               : backend == "c" ? compile::compile_by_c(f, target, options)
                                                : compile::callable(f, target, options);
  const double compile_s = runtime::steady_seconds() - start;
  return {[function](const std::vector<interp::Argument>& arguments) { function.call(values_of(arguments)); },
          function, compile_s, on_gpu};
}

std::optional<measure::PackedWeights> packed_weights(const Program& program, const std::string& backend,
                                                     const target::Target& target) {
  if (!program.packed_parameter) return std::nullopt;
  const Function& pack = program.module.functions[1];
  return measure::PackedWeights{*program.packed_parameter, pack, on_backend(pack, backend, target).run};
}

}  // namespace ardea::cli
