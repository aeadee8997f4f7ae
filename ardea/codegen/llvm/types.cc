#include "ardea/codegen/llvm/types.h"

#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/LLVMContext.h>

#include "ardea/support/error.h"

namespace ardea::codegen {

llvm::Type* with_lanes(llvm::Type* element, int lanes) {
  return lanes == 1 ? element : llvm::FixedVectorType::get(element, static_cast<unsigned>(lanes));
}

namespace {

llvm::Type* register_element(llvm::LLVMContext& context, DataType type) {
  switch (type.code) {
    case TypeCode::boolean: return llvm::Type::getInt1Ty(context);
    case TypeCode::integer:
    case TypeCode::unsigned_integer:
      ensure(type.bits >= 8, "the LLVM backend met {}, which legalise_types removes", to_string(type));
      return llvm::Type::getIntNTy(context, type.bits);
    case TypeCode::floating:
      if (type.bits == 64) return llvm::Type::getDoubleTy(context);
      if (type.bits == 32) return llvm::Type::getFloatTy(context);
      return llvm::Type::getInt16Ty(context);
    case TypeCode::handle: return llvm::PointerType::get(context, 0);
    case TypeCode::none: return llvm::Type::getVoidTy(context);
    default: break;
  }
  throw InternalError("the LLVM backend met " + to_string(type) + ", which legalise_types removes");
}

}  // namespace

llvm::Type* register_type(llvm::LLVMContext& context, DataType type) {
  return with_lanes(register_element(context, type.element()), type.lanes);
}

llvm::Type* memory_type(llvm::LLVMContext& context, DataType type) {
  if (type.is_bool()) return with_lanes(llvm::Type::getInt8Ty(context), type.lanes);
  return register_type(context, type);
}

}  // namespace ardea::codegen
