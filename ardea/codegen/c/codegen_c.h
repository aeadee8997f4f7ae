#pragma once

#include <span>
#include <string>

#include "ardea/codegen/options.h"
#include "ardea/ir/function.h"
#include "ardea/target/target.h"

/// Lowered functions → C11 source, to read and to ship.

namespace ardea::codegen {

/// Functions as lower::lower leaves them (packed entry points) → the text of one translation unit. Each
/// becomes
///
///   int32_t <entry_symbol>(const ArdeaValue* arguments, const int32_t* type_codes, int32_t count,
///                          ArdeaValue* result, int32_t* result_code)
///
/// The text contains the declarations of runtime/abi.h that it needs, under that header's guard, and includes
/// nothing but the C standard's headers. It calls ardea_set_error, ardea_set_error_format, ardea_allocate,
/// ardea_free, ardea_parallel_for and ardea_call_registered, which it only declares, and libm. Programs
/// without vectors are ISO C for 64-bit machines with two's complement; vectors are GCC's and clang's.
///
/// Without options.contract the answers are the interpreter's to the bit when the text is compiled with
/// -ffp-contract=off; with it, -ffp-contract=fast lets the compiler fuse. The text says which one it was made
/// for.
///
/// Error for a target that is no cpu, two functions of one name, a name that is no C identifier, and what has
/// no meaning on a cpu. May be called from any thread.
std::string c_source(std::span<const Function> functions, const target::Target& target,
                     const Options& options);

}  // namespace ardea::codegen
