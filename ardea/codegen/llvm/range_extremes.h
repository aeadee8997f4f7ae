#pragma once

namespace llvm {
class Function;
class ScalarEvolution;
}  // namespace llvm

namespace ardea::codegen {

/// Minimum and maximum of vectors by AVX-512's range instruction, of those of 512 bits or also of shorter
/// ones: three instructions, where LLVM 19 finds six. After all other passes, which know what a maximum is.
/// Whether there was something to do.
bool take_extremes_by_range(llvm::Function& function, llvm::ScalarEvolution& evolution);
bool take_short_extremes_by_range(llvm::Function& function, llvm::ScalarEvolution& evolution);

}  // namespace ardea::codegen
