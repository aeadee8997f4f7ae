#pragma once

#include <span>
#include <string>

#include "ardea/codegen/options.h"
#include "ardea/ir/function.h"
#include "ardea/runtime/module.h"
#include "ardea/target/target.h"

/// Lowered functions → machine code by LLVM.

namespace ardea::codegen {

// Every function here takes functions as lower::lower leaves them: flat buffers, no blocks, narrow floats and
// int4 legalised, arguments unpacked by abi_* intrinsics. Each becomes one ArdeaPackedFunction. All may be
// called from any thread.

/// "LLVM 19.1.7": whose code it is.
std::string llvm_version();

/// After optimisation, for any cpu target.
std::string llvm_ir(std::span<const Function> functions, const target::Target& target,
                    const Options& options);
std::string assembly(std::span<const Function> functions, const target::Target& target,
                     const Options& options);
/// A relocatable ELF file.
std::string object_code(std::span<const Function> functions, const target::Target& target,
                        const Options& options);

/// The code loaded into this process, with one function a Function. Requires a target that this machine can
/// run. The code stays in memory as long as the module or one of its functions.
runtime::Module load(const std::string& module_name, std::span<const Function> functions,
                     const target::Target& target, const Options& options);

/// The same of a file that object_code made, perhaps in another process, with the functions of these names.
runtime::Module load_object(const std::string& module_name, const std::string& object,
                            std::span<const std::string> functions, const target::Target& target);

}  // namespace ardea::codegen
