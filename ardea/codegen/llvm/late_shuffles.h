#pragma once

namespace llvm {
class Function;
class ScalarEvolution;
}  // namespace llvm

namespace ardea::codegen {

/// Operations lane by lane on vectors that were shuffled in the same way are done before the shuffle:
///
///   op(shuffle(a, b), shuffle(c, d))   ⇒   shuffle(op(a, c), op(b, d))
///
/// where that is less: of several shuffles of the same vectors, such as every second lane from the first and
/// from the second on, all use what the operations make; and what is there already costs nothing. Every lane
/// is computed from the same numbers in the same order. Whether there was something to do.
bool shuffle_after_operations(llvm::Function& function, llvm::ScalarEvolution& evolution);

}  // namespace ardea::codegen
