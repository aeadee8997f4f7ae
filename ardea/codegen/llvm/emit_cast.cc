#include "ardea/codegen/llvm/emitter.h"
#include "ardea/codegen/llvm/types.h"
#include "ardea/support/error.h"

/// Conversions between types. Each rounds once: what goes through two types on the way is exact, or
/// odd-rounded, in the first.

namespace ardea::codegen {

llvm::Value* Emitter::emit_cast(llvm::Value* value, DataType from, DataType to) {
  ensure(from.lanes == to.lanes, "a cast from {} to {} changes the lanes", to_string(from), to_string(to));
  if (from == to || from.is_handle()) return value;
  llvm::Type* type = register_type(context_, to);
  const bool to_half = to.is_float() && to.bits == 16;
  if (from.is_float() && from.bits == 16)
    return to_half ? value : emit_cast(half_to_float(value), float32.with_lanes(from.lanes), to);
  if (to_half) {
    // Through float64: int64 beyond 2^53 loses bits there, but is far above the largest float16.
    if (from.is_float() && from.bits == 32) return float_to_half(value);
    return float_to_half(double_to_odd_float(emit_cast(value, from, float64.with_lanes(from.lanes))));
  }
  if (to.is_bool()) {
    llvm::Value* zero = llvm::Constant::getNullValue(value->getType());
    return from.is_float() ? builder_.CreateFCmpUNE(value, zero) : builder_.CreateICmpNE(value, zero);
  }
  if (from.is_float() && to.is_float()) return builder_.CreateFPCast(value, type);
  if (from.is_float())
    return builder_.CreateIntrinsic(to.is_int() ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat,
                                    {type, value->getType()}, {value});
  if (to.is_float())
    return from.is_int() ? builder_.CreateSIToFP(value, type) : builder_.CreateUIToFP(value, type);
  return builder_.CreateIntCast(value, type, from.is_int());
}

namespace {

/// x86_64 without F16C would call functions of the compiler's library, which not every system has.
bool converts_half(const target::Target& target) {
  return target.arch == target::Arch::aarch64 || target.has("f16c");
}

}  // namespace

llvm::Value* Emitter::half_to_float(llvm::Value* bits) {
  const auto lanes_of = [&](llvm::Type* element) { return bits->getType()->getWithNewType(element); };
  llvm::Type* single = lanes_of(builder_.getFloatTy());
  if (converts_half(target_))
    return builder_.CreateFPExt(builder_.CreateBitCast(bits, lanes_of(builder_.getHalfTy())), single);
  llvm::Type* word = lanes_of(builder_.getInt32Ty());
  const auto constant = [&](std::int64_t x) { return integer(word, x); };
  llvm::Value* wide = builder_.CreateZExt(bits, word);
  llvm::Value* sign = builder_.CreateShl(builder_.CreateAnd(wide, constant(0x8000)), 16);
  llvm::Value* magnitude = builder_.CreateAnd(wide, constant(0x7fff));
  // Rebias the exponent by 127 - 15; infinity and NaN keep theirs at the top.
  llvm::Value* normal = builder_.CreateAdd(builder_.CreateShl(magnitude, 13), constant(112 << 23));
  llvm::Value* special = builder_.CreateOr(builder_.CreateShl(magnitude, 13), constant(0x7f800000));
  // A subnormal counts steps of 2^-24.
  llvm::Value* tiny =
      builder_.CreateFMul(builder_.CreateUIToFP(magnitude, single), llvm::ConstantFP::get(single, 0x1p-24));
  llvm::Value* finite = builder_.CreateSelect(builder_.CreateICmpULT(magnitude, constant(0x0400)),
                                              builder_.CreateBitCast(tiny, word), normal);
  llvm::Value* result =
      builder_.CreateSelect(builder_.CreateICmpUGE(magnitude, constant(0x7c00)), special, finite);
  return builder_.CreateBitCast(builder_.CreateOr(result, sign), single);
}

llvm::Value* Emitter::float_to_half(llvm::Value* value) {
  const auto lanes_of = [&](llvm::Type* element) { return value->getType()->getWithNewType(element); };
  llvm::Type* short_word = lanes_of(builder_.getInt16Ty());
  if (converts_half(target_))
    return builder_.CreateBitCast(builder_.CreateFPTrunc(value, lanes_of(builder_.getHalfTy())), short_word);
  llvm::Type *word = lanes_of(builder_.getInt32Ty()), *single = value->getType();
  const auto constant = [&](std::int64_t x) { return integer(word, x); };
  llvm::Value* wide = builder_.CreateBitCast(value, word);
  llvm::Value* sign = builder_.CreateAnd(builder_.CreateLShr(wide, 16), constant(0x8000));
  llvm::Value* magnitude = builder_.CreateAnd(wide, constant(0x7fffffff));
  // Half of the last place less one, plus its parity: ties go to even. A carry runs into the exponent, as it
  // should.
  llvm::Value* parity = builder_.CreateAnd(builder_.CreateLShr(magnitude, 13), constant(1));
  llvm::Value* rounded =
      builder_.CreateAdd(builder_.CreateAdd(magnitude, constant(0xfff - (112 << 23))), parity);
  llvm::Value* normal = builder_.CreateLShr(rounded, 13);
  // Added to 0.5, whose last place is 2^-24, a small number is rounded to steps of the subnormals by the
  // machine.
  llvm::Value* sum =
      builder_.CreateFAdd(builder_.CreateBitCast(magnitude, single), llvm::ConstantFP::get(single, 0.5));
  llvm::Value* tiny = builder_.CreateSub(builder_.CreateBitCast(sum, word), constant(0x3f000000));
  llvm::Value* result =
      builder_.CreateSelect(builder_.CreateICmpULT(magnitude, constant(113 << 23)), tiny, normal);
  // From 65520 on the nearest is infinity.
  result = builder_.CreateSelect(builder_.CreateICmpUGE(magnitude, constant(0x477ff000)), constant(0x7c00),
                                 result);
  result = builder_.CreateSelect(builder_.CreateICmpUGT(magnitude, constant(0x7f800000)), constant(0x7e00),
                                 result);
  return builder_.CreateTrunc(builder_.CreateOr(result, sign), short_word);
}

/// The float32 on the way to a narrower type: where the value is not exact, the neighbour with an odd last
/// bit, from which the second rounding comes out as one rounding would have.
llvm::Value* Emitter::double_to_odd_float(llvm::Value* value) {
  llvm::Type* single = value->getType()->getWithNewType(builder_.getFloatTy());
  llvm::Type* word = value->getType()->getWithNewType(builder_.getInt32Ty());
  const auto magnitude = [&](llvm::Value* x) {
    return builder_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
  };
  llvm::Value* nearest = builder_.CreateFPTrunc(value, single);
  llvm::Value* back = builder_.CreateFPExt(nearest, value->getType());
  llvm::Value* inexact = builder_.CreateFCmpONE(back, value);  // false for NaN
  llvm::Value* too_far = builder_.CreateFCmpOGT(magnitude(back), magnitude(value));
  llvm::Value* bits = builder_.CreateBitCast(nearest, word);
  llvm::Value* truncated = builder_.CreateAdd(bits, builder_.CreateSExt(too_far, word));
  llvm::Value* odd = builder_.CreateOr(truncated, integer(word, 1));
  return builder_.CreateBitCast(builder_.CreateSelect(inexact, odd, bits), single);
}

}  // namespace ardea::codegen
