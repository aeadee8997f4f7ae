#pragma once

#include <string_view>

namespace llvm {
class Module;
class TargetMachine;
}  // namespace llvm

namespace ardea::codegen {

/// Begins the name of the stack slot that stands for a slot of scope "register".
inline constexpr std::string_view register_slot_prefix = "register.";

/// LLVM's standard pipeline of that level (0 to 3), loop and SLP vectorisers included from 2 on; the first
/// not on loops that Emitter::advise forbids it, the second not where the module holds register tiles, whose
/// vectors are chosen already. From level 1 on, Error with the slot where one of scope "register" is still
/// memory afterwards.
void optimize(llvm::Module& module, llvm::TargetMachine& machine, int level);

}  // namespace ardea::codegen
