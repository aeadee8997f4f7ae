#include <llvm/IR/PatternMatch.h>

#include "ardea/codegen/llvm/emitter.h"
#include "ardea/support/error.h"

/// Arithmetic that never traps and is never undefined (docs/semantics.md): arithmetic carries nsw
/// only where the ranges show that it cannot wrap (LLVM tells addresses apart by it), every divisor and every
/// shift amount that LLVM sees is in range. All of it works on vectors as on scalars.

namespace ardea::codegen {

llvm::Value* Emitter::emit_unary(const Unary& unary) {
  llvm::Value* value = emit(unary.operand);
  switch (unary.op) {
    case UnaryOp::negate:
      return unary.operand.type().is_float() ? builder_.CreateFNeg(value) : builder_.CreateNeg(value);
    case UnaryOp::logical_not:
    case UnaryOp::bit_not: return builder_.CreateNot(value);
  }
  throw InternalError("unknown unary operation");
}

llvm::Value* Emitter::emit_binary(const Expr& e, const Binary& binary) {
  if (binary.op == BinaryOp::logical_and || binary.op == BinaryOp::logical_or) return emit_logical(binary);
  const DataType type = binary.left.type();
  ensure(!type.is_float() || type.bits > 16,
         "the LLVM backend met arithmetic on {}, which legalise_types removes", to_string(type));
  llvm::Value* a = emit(binary.left);
  llvm::Value* b = emit(binary.right);
  if (is_comparison(binary.op)) return emit_comparison(binary.op, type, a, b);
  if (type.is_float()) return emit_float_binary(binary.op, a, b);
  return emit_integer_binary(binary.op, type.is_int(), a, b, type.is_int() && ranges_.cannot_wrap(e));
}

llvm::Value* Emitter::emit_comparison(BinaryOp op, DataType type, llvm::Value* a, llvm::Value* b) {
  using P = llvm::CmpInst::Predicate;
  const bool is_float = type.is_float(), is_signed = type.is_int();
  const auto choose = [&](P floating, P of_signed, P of_unsigned) {
    return is_float ? floating : is_signed ? of_signed : of_unsigned;
  };
  switch (op) {
    case BinaryOp::eq: return builder_.CreateCmp(choose(P::FCMP_OEQ, P::ICMP_EQ, P::ICMP_EQ), a, b);
    // NaN differs from everything: the one comparison that is true when unordered.
    case BinaryOp::ne: return builder_.CreateCmp(choose(P::FCMP_UNE, P::ICMP_NE, P::ICMP_NE), a, b);
    default: break;
  }
  if (is_float) keep_from_halves(a, b);
  switch (op) {
    case BinaryOp::lt: return builder_.CreateCmp(choose(P::FCMP_OLT, P::ICMP_SLT, P::ICMP_ULT), a, b);
    case BinaryOp::le: return builder_.CreateCmp(choose(P::FCMP_OLE, P::ICMP_SLE, P::ICMP_ULE), a, b);
    case BinaryOp::gt: return builder_.CreateCmp(choose(P::FCMP_OGT, P::ICMP_SGT, P::ICMP_UGT), a, b);
    case BinaryOp::ge: return builder_.CreateCmp(choose(P::FCMP_OGE, P::ICMP_SGE, P::ICMP_UGE), a, b);
    default: break;
  }
  throw InternalError("unknown comparison");
}

/// LLVM compares halves where two floats were halves before, and LLVM 19 exchanges the operands of a masked
/// comparison of float16 vectors where that lets it fold a load, without turning the relation round (its
/// issue 159723: VCMPPH…rrik). Behind a fence nothing is known to be a half.
void Emitter::keep_from_halves(llvm::Value*& a, llvm::Value*& b) {
  if (!reads_halves_ || !target_.has("avx512fp16")) return;
  llvm::Value*& side = llvm::isa<llvm::Constant>(a) ? b : a;
  side = builder_.CreateArithmeticFence(side, side->getType());
}

llvm::Value* Emitter::emit_float_binary(BinaryOp op, llvm::Value* a, llvm::Value* b) {
  llvm::IRBuilderBase::FastMathFlagGuard guard(builder_);
  llvm::FastMathFlags flags;
  flags.setAllowContract(options_.contract);
  builder_.setFastMathFlags(flags);
  switch (op) {
    case BinaryOp::add: return builder_.CreateFAdd(a, b);
    case BinaryOp::sub: return builder_.CreateFSub(a, b);
    case BinaryOp::mul: return builder_.CreateFMul(a, b);
    case BinaryOp::div: return builder_.CreateFDiv(a, b);
    case BinaryOp::min: return emit_extreme(false, a, b);
    case BinaryOp::max: return emit_extreme(true, a, b);
    default: break;
  }
  throw InternalError("an integer operation on floats");
}

namespace {

using Builder = llvm::IRBuilder<>;

struct Division {
  llvm::Value *quotient, *remainder;
};

/// Division that rounds towards zero; by 0 it answers 0 with the dividend as remainder, and the smallest
/// integer by -1 wraps. A constant divisor needs no guard.
Division divide_truncating(Builder& builder, bool is_signed, llvm::Value* a, llvm::Value* b) {
  llvm::Type* type = a->getType();
  llvm::Value* zero = llvm::Constant::getNullValue(type);
  llvm::Value* one = llvm::ConstantInt::get(type, 1);
  llvm::Value* by_zero = builder.CreateICmpEQ(b, zero);
  llvm::Value* safe = builder.CreateSelect(by_zero, one, b);
  if (!is_signed) {
    llvm::Value* quotient = builder.CreateUDiv(a, safe);
    llvm::Value* remainder = builder.CreateURem(a, safe);
    return {builder.CreateSelect(by_zero, zero, quotient), builder.CreateSelect(by_zero, a, remainder)};
  }
  llvm::Value* by_minus_one = builder.CreateICmpEQ(b, llvm::Constant::getAllOnesValue(type));
  safe = builder.CreateSelect(by_minus_one, one, safe);
  llvm::Value* quotient = builder.CreateSDiv(a, safe);
  quotient = builder.CreateSelect(by_minus_one, builder.CreateNeg(a), quotient);
  return {builder.CreateSelect(by_zero, zero, quotient),
          builder.CreateSelect(by_zero, a, builder.CreateSRem(a, safe))};
}

/// By a positive constant, where no guard is needed: with s the sign of a, floor(a / c) is ((a ^ s) / c) ^ s,
/// because floor(a / c) = ~(~a / c) for negative a. One unsigned division, and none where c is a power of
/// two.
Division divide_by_positive(Builder& builder, llvm::Value* a, llvm::Value* b, const llvm::APInt& divisor) {
  llvm::Type* type = a->getType();
  if (divisor.isPowerOf2())
    return {builder.CreateAShr(a, divisor.logBase2()),
            builder.CreateAnd(a, llvm::ConstantInt::get(type, divisor - 1))};
  llvm::Value* sign = builder.CreateAShr(a, divisor.getBitWidth() - 1);
  llvm::Value* quotient = builder.CreateXor(builder.CreateUDiv(builder.CreateXor(a, sign), b), sign);
  return {quotient, builder.CreateSub(a, builder.CreateMul(quotient, b))};
}

Division divide_flooring(Builder& builder, bool is_signed, llvm::Value* a, llvm::Value* b) {
  const llvm::APInt* constant = nullptr;
  if (is_signed && llvm::PatternMatch::match(b, llvm::PatternMatch::m_APInt(constant)) &&
      constant->isStrictlyPositive())
    return divide_by_positive(builder, a, b, *constant);
  Division d = divide_truncating(builder, is_signed, a, b);
  if (!is_signed) return d;
  llvm::Type* type = a->getType();
  llvm::Value* zero = llvm::Constant::getNullValue(type);
  // One too high where something remains and its sign is not the divisor's. By zero nothing is to be
  // corrected.
  llvm::Value* inexact = builder.CreateICmpNE(d.remainder, zero);
  llvm::Value* signs_differ = builder.CreateICmpSLT(builder.CreateXor(d.remainder, b), zero);
  llvm::Value* correct =
      builder.CreateAnd(builder.CreateAnd(inexact, signs_differ), builder.CreateICmpNE(b, zero));
  return {builder.CreateAdd(d.quotient, builder.CreateSExt(correct, type)),
          builder.CreateAdd(d.remainder, builder.CreateSelect(correct, b, zero))};
}

/// Amounts that are negative are large when read as unsigned, and so shift everything out as well.
llvm::Value* shift(Builder& builder, BinaryOp op, bool is_signed, llvm::Value* a, llvm::Value* amount) {
  llvm::Type* type = a->getType();
  const unsigned width = type->getScalarSizeInBits();
  llvm::Value* last = llvm::ConstantInt::get(type, width - 1);
  llvm::Value* safe = builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin, amount, last);
  if (op == BinaryOp::shift_right && is_signed) return builder.CreateAShr(a, safe);
  llvm::Value* shifted =
      op == BinaryOp::shift_left ? builder.CreateShl(a, safe) : builder.CreateLShr(a, safe);
  return builder.CreateSelect(builder.CreateICmpUGT(amount, last), llvm::Constant::getNullValue(type),
                              shifted);
}

}  // namespace

llvm::Value* Emitter::emit_integer_binary(BinaryOp op, bool is_signed, llvm::Value* a, llvm::Value* b,
                                          bool fits) {
  using I = llvm::Intrinsic::IndependentIntrinsics;
  switch (op) {
    case BinaryOp::add: return builder_.CreateAdd(a, b, "", false, fits);
    case BinaryOp::sub: return builder_.CreateSub(a, b, "", false, fits);
    case BinaryOp::mul: return builder_.CreateMul(a, b, "", false, fits);
    case BinaryOp::floor_div: return divide_flooring(builder_, is_signed, a, b).quotient;
    case BinaryOp::floor_mod: return divide_flooring(builder_, is_signed, a, b).remainder;
    case BinaryOp::trunc_div: return divide_truncating(builder_, is_signed, a, b).quotient;
    case BinaryOp::trunc_mod: return divide_truncating(builder_, is_signed, a, b).remainder;
    case BinaryOp::min: return builder_.CreateBinaryIntrinsic(is_signed ? I::smin : I::umin, a, b);
    case BinaryOp::max: return builder_.CreateBinaryIntrinsic(is_signed ? I::smax : I::umax, a, b);
    case BinaryOp::bit_and: return builder_.CreateAnd(a, b);
    case BinaryOp::bit_or: return builder_.CreateOr(a, b);
    case BinaryOp::bit_xor: return builder_.CreateXor(a, b);
    case BinaryOp::shift_left:
    case BinaryOp::shift_right: return shift(builder_, op, is_signed, a, b);
    default: break;
  }
  throw InternalError("a float operation on integers");
}

}  // namespace ardea::codegen
