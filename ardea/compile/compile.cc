#include "ardea/compile/compile.h"

#include "ardea/arith/verify.h"
#include "ardea/codegen/c/codegen_c.h"
#include "ardea/codegen/cuda/codegen_cuda.h"
#include "ardea/codegen/llvm/codegen.h"
#include "ardea/compile/cuda_program.h"
#include "ardea/compile/lowered.h"
#include "ardea/compile/runnable.h"
#include "ardea/lower/notes.h"
#include "ardea/support/error.h"
#include "ardea/support/timings.h"

namespace ardea::compile {

codegen::Options codegen_options(const Options& options) {
  return {.contract = options.contract, .optimization_level = options.optimization_level};
}

std::vector<Function> lowered_for(const Module& m, const target::Target& target, const Options& options) {
  require(!m.functions.empty(), "compile: the module has no functions");
  {
    const TimedSection timed("verify", "verify");
    arith::require_valid(m, "compile");
  }
  std::vector<Function> functions;
  for (Function f : m.functions) {
    if (options.library_functions) f.attributes["library_functions"] = {make_bool(true)};
    functions.push_back(lower::lower(f, target, options.lowering));
    if (!options.note) continue;
    for (const std::string& sentence : lower::notes(functions.back())) options.note(sentence);
  }
  return functions;
}

void require_gpu(const target::Target& target) {
  require(target.kind == target::Kind::cuda,
          "target {}: CUDA C++ is for GPUs, this is {}; choose one, as by --target h200", target.name,
          target::to_string(target.kind));
}

namespace {

/// For the backends that make code of a CPU.
std::vector<Function> lowered(const Module& m, const target::Target& target, const Options& options) {
  require(
      target.kind == target::Kind::cpu,
      "target {}: this is code for CPUs, and the target is {}; choose a cpu target, or `--as cuda` for a GPU",
      target.name, target::to_string(target.kind));
  return lowered_for(m, target, options);
}

}  // namespace

std::string version() { return "Ardea " ARDEA_VERSION ", " + codegen::llvm_version(); }

runtime::Module callable(const Module& m, const target::Target& target, const Options& options) {
  if (target.kind == target::Kind::cuda) {
    std::vector<std::pair<std::string, runtime::Function>> functions;
    for (const Function& f : m.functions)
      functions.emplace_back(f.name, CudaProgram(cuda_code(f, target, options), target).function());
    return {m.name.empty() ? "module" : m.name, std::move(functions)};
  }
  require_runnable(target);
  return codegen::load(m.name.empty() ? "module" : m.name, lowered(m, target, options), target,
                       codegen_options(options));
}

runtime::Function callable(const Function& f, const target::Target& target, const Options& options) {
  return callable(Module{{}, {f}}, target, options).get_function(f.name);
}

std::string object_code(const Module& m, const target::Target& target, const Options& options) {
  return codegen::object_code(lowered(m, target, options), target, codegen_options(options));
}

runtime::Module load_object(const std::string& object, const std::vector<std::string>& functions,
                            const target::Target& target) {
  require_runnable(target);
  return codegen::load_object("module", object, functions, target);
}

std::string llvm_ir(const Module& m, const target::Target& target, const Options& options) {
  return codegen::llvm_ir(lowered(m, target, options), target, codegen_options(options));
}

std::string assembly(const Module& m, const target::Target& target, const Options& options) {
  return codegen::assembly(lowered(m, target, options), target, codegen_options(options));
}

std::string c_source(const Module& m, const target::Target& target, const Options& options) {
  return codegen::c_source(lowered(m, target, options), target, codegen_options(options));
}

std::string cuda_source(const Module& m, const target::Target& target, const Options& options) {
  require_gpu(target);
  const std::vector<Function> all = lowered_for(m, target, options);
  const TimedSection timed("cuda", "source");
  return codegen::cuda_source(all, target, codegen_options(options));
}

}  // namespace ardea::compile
