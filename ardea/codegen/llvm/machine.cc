#include "ardea/codegen/llvm/machine.h"

#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Target/TargetOptions.h>

#include <algorithm>
#include <mutex>

#include "ardea/support/error.h"
#include "ardea/support/text.h"

namespace ardea::codegen {

namespace {

llvm::CodeGenOptLevel machine_level(int level) {
  switch (level) {
    case 0: return llvm::CodeGenOptLevel::None;
    case 1: return llvm::CodeGenOptLevel::Less;
    case 2: return llvm::CodeGenOptLevel::Default;
    default: return llvm::CodeGenOptLevel::Aggressive;
  }
}

/// LLVM itself would only warn on the error stream, and go on without.
void check_names(const llvm::Target& llvm_target, const target::Target& target) {
  const std::unique_ptr<llvm::MCSubtargetInfo> known(
      llvm_target.createMCSubtargetInfo(target.triple, baseline_cpu(target.arch), ""));
  require(known->isCPUStringValid(target.cpu), "target {}: LLVM knows no processor {} for {}", target.name,
          in_quotes(target.cpu), to_string(target.arch));
  std::vector<std::string> names;
  for (const llvm::SubtargetFeatureKV& feature : known->getAllProcessorFeatures())
    names.emplace_back(feature.Key);
  for (const std::string& feature : target.features) {
    const std::string name = feature.substr(1);
    require(std::find(names.begin(), names.end(), name) != names.end(),
            "target {}: LLVM knows no feature {} for {}{}", target.name, in_quotes(name),
            to_string(target.arch), did_you_mean(name, names));
  }
}

}  // namespace

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
  check_names(*llvm_target, target);
  std::unique_ptr<llvm::TargetMachine> machine(llvm_target->createTargetMachine(
      target.triple, baseline_cpu(target.arch), target.llvm_features(), llvm::TargetOptions(),
      llvm::Reloc::PIC_, std::nullopt, machine_level(optimization_level)));
  ensure(machine != nullptr, "LLVM made no target machine for {}", target.triple);
  // Level 0 on aarch64 would take GlobalISel: LLVM 19's makes wrong code of float16.
  machine->setGlobalISel(false);
  return machine;
}

}  // namespace ardea::codegen
