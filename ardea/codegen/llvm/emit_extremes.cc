#include "ardea/codegen/llvm/emitter.h"

/// IEEE's minimum and maximum: NaN where either side is NaN, and -0 below +0.

namespace ardea::codegen {

llvm::Value* Emitter::emit_extreme(bool greatest, llvm::Value* a, llvm::Value* b) {
  return builder_.CreateBinaryIntrinsic(greatest ? llvm::Intrinsic::maximum : llvm::Intrinsic::minimum, a, b);
}

}  // namespace ardea::codegen
