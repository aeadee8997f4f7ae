#pragma once

#include <llvm/IR/Type.h>

#include "ardea/support/data_type.h"

namespace ardea::codegen {

/// A value in a register: bool is i1, float16 its 16 bits as an integer (it is only ever moved and
/// converted), a handle a pointer; vectors are vectors of these. InternalError for types that lowering must
/// have removed.
llvm::Type* register_type(llvm::LLVMContext& context, DataType type);

/// The same value in memory: bool is a byte.
llvm::Type* memory_type(llvm::LLVMContext& context, DataType type);

/// `element` itself, or a vector of so many of them.
llvm::Type* with_lanes(llvm::Type* element, int lanes);

}  // namespace ardea::codegen
