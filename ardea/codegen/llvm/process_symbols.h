#pragma once

#include <span>
#include <string_view>

namespace ardea::codegen {

struct ProcessSymbol {
  std::string_view name;
  void* address;
};

/// Everything of this process that generated code may call: the ABI's functions, the C library's mathematics
/// and what LLVM makes of loops that copy or fill memory. Nothing else resolves, so that a program means the
/// same in every process.
std::span<const ProcessSymbol> process_symbols();

}  // namespace ardea::codegen
