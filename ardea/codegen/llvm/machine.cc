#include "ardea/codegen/llvm/machine.h"

#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Target/TargetOptions.h>

#include <mutex>

#include "ardea/support/error.h"

namespace ardea::codegen {

namespace {

/// Both architectures on every machine: code for the other one can be looked at here.
void initialize_llvm() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
  });
}

llvm::CodeGenOptLevel machine_level(int level) {
  switch (level) {
    case 0: return llvm::CodeGenOptLevel::None;
    case 1: return llvm::CodeGenOptLevel::Less;
    case 2: return llvm::CodeGenOptLevel::Default;
    default: return llvm::CodeGenOptLevel::Aggressive;
  }
}

}  // namespace

std::string baseline_cpu(target::Arch arch) { return arch == target::Arch::x86_64 ? "x86-64" : "generic"; }

std::unique_ptr<llvm::TargetMachine> make_machine(const target::Target& target, int optimization_level) {
  require(target.kind == target::Kind::cpu,
          "target {}: the LLVM backend compiles for cpu targets, this one is {}", target.name,
          to_string(target.kind));
  require(optimization_level >= 0 && optimization_level <= 3, "optimization_level {}: must be 0, 1, 2 or 3",
          optimization_level);
  initialize_llvm();
  std::string why;
  const llvm::Target* llvm_target = llvm::TargetRegistry::lookupTarget(target.triple, why);
  require(llvm_target != nullptr, "target {}: LLVM has no code generator for the triple {}", target.name,
          target.triple);
  std::unique_ptr<llvm::TargetMachine> machine(llvm_target->createTargetMachine(
      target.triple, baseline_cpu(target.arch), target.llvm_features(), llvm::TargetOptions(),
      llvm::Reloc::PIC_, std::nullopt, machine_level(optimization_level)));
  ensure(machine != nullptr, "LLVM made no target machine for {}", target.triple);
  return machine;
}

}  // namespace ardea::codegen
