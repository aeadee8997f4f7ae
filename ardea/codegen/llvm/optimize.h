#pragma once

namespace llvm {
class Module;
class TargetMachine;
}  // namespace llvm

namespace ardea::codegen {

/// LLVM's standard pipeline of that level (0 to 3), loop and SLP vectorisers included from 2 on.
void optimize(llvm::Module& module, llvm::TargetMachine& machine, int level);

}  // namespace ardea::codegen
