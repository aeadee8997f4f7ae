#pragma once

#include <memory>
#include <span>

#include "ardea/codegen/llvm/codegen.h"

namespace llvm {
class LLVMContext;
class Module;
class TargetMachine;
}  // namespace llvm

namespace ardea::codegen {

/// The functions as a module of LLVM IR, before optimisation, checked by LLVM's verifier.
std::unique_ptr<llvm::Module> emit_module(llvm::LLVMContext& context, std::span<const Function> functions,
                                          const llvm::TargetMachine& machine, const target::Target& target,
                                          const Options& options);

}  // namespace ardea::codegen
