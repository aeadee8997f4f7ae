#pragma once

#include <memory>
#include <string>

#include "ardea/target/target.h"

namespace llvm {
class TargetMachine;
}

namespace ardea::codegen {

/// Before anything else of LLVM's: tells it what code generators there are. Both architectures on every
/// machine: code for the other one can be looked at here.
void initialize_llvm();

/// LLVM's model of the target. What may be emitted follows from the record's features alone: the processor's
/// name goes to functions as "tune-cpu" and never implies a feature. Error for a target that is no cpu.
std::unique_ptr<llvm::TargetMachine> make_machine(const target::Target& target, int optimization_level);

/// The processor that stands for an architecture without optional features.
std::string baseline_cpu(target::Arch arch);

}  // namespace ardea::codegen
