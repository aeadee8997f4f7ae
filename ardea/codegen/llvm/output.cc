#include <llvm/Config/llvm-config.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include "ardea/codegen/llvm/codegen.h"
#include "ardea/codegen/llvm/emit_module.h"
#include "ardea/codegen/llvm/machine.h"
#include "ardea/codegen/llvm/optimize.h"
#include "ardea/support/error.h"
#include "ardea/support/timings.h"

/// What the optimised module becomes: text to read, assembly, or an object file.

namespace ardea::codegen {

namespace {

std::unique_ptr<llvm::Module> optimized_module(llvm::LLVMContext& context,
                                               std::span<const Function> functions,
                                               llvm::TargetMachine& machine, const target::Target& target,
                                               const Options& options) {
  std::unique_ptr<llvm::Module> module;
  {
    const TimedSection timed("llvm", "emit");
    module = emit_module(context, functions, machine, target, options);
  }
  const TimedSection timed("llvm", "optimize");
  optimize(*module, machine, options.optimization_level);
  return module;
}

std::string machine_code(std::span<const Function> functions, const target::Target& target,
                         const Options& options, llvm::CodeGenFileType kind) {
  const auto machine = make_machine(target, options.optimization_level);
  llvm::LLVMContext context;
  const auto module = optimized_module(context, functions, *machine, target, options);
  const TimedSection timed("llvm", "generate code");
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  ensure(!machine->addPassesToEmitFile(passes, stream, nullptr, kind), "LLVM cannot emit files for {}",
         target.triple);
  passes.run(*module);
  return {bytes.begin(), bytes.end()};
}

}  // namespace

std::string llvm_version() { return "LLVM " LLVM_VERSION_STRING; }

std::string llvm_ir(std::span<const Function> functions, const target::Target& target,
                    const Options& options) {
  const auto machine = make_machine(target, options.optimization_level);
  llvm::LLVMContext context;
  const auto module = optimized_module(context, functions, *machine, target, options);
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream, nullptr);
  return text;
}

std::string assembly(std::span<const Function> functions, const target::Target& target,
                     const Options& options) {
  return machine_code(functions, target, options, llvm::CodeGenFileType::AssemblyFile);
}

std::string object_code(std::span<const Function> functions, const target::Target& target,
                        const Options& options) {
  return machine_code(functions, target, options, llvm::CodeGenFileType::ObjectFile);
}

}  // namespace ardea::codegen
