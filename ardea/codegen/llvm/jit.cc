#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Target/TargetMachine.h>

#include "ardea/codegen/llvm/codegen.h"
#include "ardea/codegen/llvm/machine.h"
#include "ardea/codegen/llvm/process_symbols.h"
#include "ardea/support/error.h"
#include "ardea/support/timings.h"

/// Object code linked into this process. Compiling is not the JIT's business: what runs here is the very code
/// that object_code writes to a file.

namespace ardea::codegen {

namespace {

namespace orc = llvm::orc;

template <class T>
T value_or_internal_error(llvm::Expected<T> value, const char* step) {
  if (!value)
    throw InternalError(fmt::format("the JIT failed to {}: {}", step, llvm::toString(value.takeError())));
  return std::move(*value);
}

void succeed(llvm::Error error, const char* step) {
  if (error)
    throw InternalError(fmt::format("the JIT failed to {}: {}", step, llvm::toString(std::move(error))));
}

/// One JIT a loaded module: dropping the last function gives its memory back, and no lock is shared between
/// compilations.
std::shared_ptr<orc::LLJIT> make_jit(const target::Target& target) {
  orc::JITTargetMachineBuilder machine{llvm::Triple(target.triple)};
  machine.setCPU(baseline_cpu(target.arch));
  orc::LLJITBuilder builder;
  builder.setJITTargetMachineBuilder(std::move(machine));
  // Generated code has no static constructors: the platform that would run them costs more than our whole
  // link.
  builder.setPlatformSetUp(orc::setUpInactivePlatform);
  builder.setLinkProcessSymbolsByDefault(false);
  return value_or_internal_error(builder.create(), "start");
}

void define_process_symbols(orc::LLJIT& jit) {
  orc::SymbolMap symbols;
  for (const ProcessSymbol& symbol : process_symbols())
    symbols[jit.mangleAndIntern(llvm::StringRef(symbol.name))] = {
        orc::ExecutorAddr::fromPtr(symbol.address),
        llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
  succeed(jit.getMainJITDylib().define(orc::absoluteSymbols(std::move(symbols))),
          "define the functions of the process");
}

}  // namespace

runtime::Module load(const std::string& module_name, std::span<const Function> functions,
                     const target::Target& target, const Options& options) {
  std::vector<std::string> names;
  for (const Function& f : functions) names.push_back(f.name);
  return load_object(module_name, object_code(functions, target, options), names, target);
}

runtime::Module load_object(const std::string& module_name, const std::string& object,
                            std::span<const std::string> functions, const target::Target& target) {
  const TimedSection timed("llvm", "load");
  initialize_llvm();
  const std::shared_ptr<orc::LLJIT> jit = make_jit(target);
  define_process_symbols(*jit);
  succeed(jit->addObjectFile(llvm::MemoryBuffer::getMemBufferCopy(object, module_name)),
          "take the object file");
  std::vector<std::pair<std::string, runtime::Function>> loaded;
  for (const std::string& name : functions) {
    const auto address = value_or_internal_error(jit->lookup(entry_symbol(name)), "link");
    loaded.emplace_back(name, runtime::Function(name, address.toPtr<ArdeaPackedFunction>(), jit));
  }
  return runtime::Module(module_name, std::move(loaded), jit);
}

}  // namespace ardea::codegen
