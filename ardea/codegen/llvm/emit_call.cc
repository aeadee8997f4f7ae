#include <llvm/IR/Intrinsics.h>

#include <map>
#include <set>

#include "ardea/codegen/llvm/emitter.h"
#include "ardea/codegen/llvm/types.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/support/error.h"

namespace ardea::codegen {

namespace {

/// What the machine has an instruction for, or LLVM an expansion; the rest is the C library's.
const std::map<std::string, llvm::Intrinsic::ID>& machine_functions() {
  namespace intrinsic = llvm::Intrinsic;  // not `using`: the C library has the same names
  static const std::map<std::string, intrinsic::ID> table = {
      {"sqrt", intrinsic::sqrt},           {"floor", intrinsic::floor},
      {"ceil", intrinsic::ceil},           {"round", intrinsic::round},
      {"nearbyint", intrinsic::nearbyint}, {"trunc", intrinsic::trunc},
      {"copysign", intrinsic::copysign},   {"fma", intrinsic::fma},
  };
  return table;
}

/// The C library's functions that are called by the intrinsic's own name (with an f behind it for float32).
const std::set<std::string>& library_functions() {
  static const std::set<std::string> names = {"exp",   "exp2", "exp10", "expm1", "log",  "log2",  "log10",
                                              "log1p", "tanh", "erf",   "pow",   "sin",  "cos",   "tan",
                                              "asin",  "acos", "atan",  "sinh",  "cosh", "atan2", "fmod"};
  return names;
}

}  // namespace

/// nobuiltin: LLVM must neither rewrite the call nor fold it with other rounding than the interpreter's.
llvm::Value* Emitter::emit_library_call(const std::string& name, DataType type,
                                        const std::vector<llvm::Value*>& arguments) {
  llvm::Type* element = register_type(context_, type.element());
  const std::vector<llvm::Type*> parameters(arguments.size(), element);
  llvm::FunctionCallee function = module_.getOrInsertFunction(
      name + (type.bits == 32 ? "f" : ""), llvm::FunctionType::get(element, parameters, false));
  const auto call = [&](const std::vector<llvm::Value*>& operands) {
    llvm::CallInst* result = builder_.CreateCall(function, operands);
    result->setDoesNotAccessMemory();
    result->setDoesNotThrow();
    result->addFnAttr(llvm::Attribute::WillReturn);
    result->addFnAttr(llvm::Attribute::NoBuiltin);
    return result;
  };
  if (type.is_scalar()) return call(arguments);
  llvm::Value* vector = llvm::PoisonValue::get(register_type(context_, type));
  for (int lane = 0; lane < type.lanes; ++lane) {
    std::vector<llvm::Value*> operands;
    for (llvm::Value* argument : arguments) operands.push_back(builder_.CreateExtractElement(argument, lane));
    vector = builder_.CreateInsertElement(vector, call(operands), lane);
  }
  return vector;
}

llvm::Value* Emitter::emit_reinterpret(const Expr& source, DataType to) {
  llvm::Value* bits = emit(source);
  if (source.type().is_bool()) bits = to_memory(bits, source.type());
  if (source.type().is_handle() && !to.is_handle())
    return builder_.CreatePtrToInt(bits, register_type(context_, to));
  if (to.is_handle() && !source.type().is_handle())
    return builder_.CreateIntToPtr(bits, register_type(context_, to));
  bits = builder_.CreateBitCast(bits, memory_type(context_, to));
  return to.is_bool() ? from_memory(bits, to) : bits;
}

llvm::Value* Emitter::emit_call(const Expr& e, const Call& call) {
  const std::string& name = call.op->name;
  const std::vector<Expr>& arguments = call.arguments;
  const DataType type = e.type();
  if (name.starts_with("abi_")) return emit_abi(name, e, arguments);
  if (name == "tensor_instruction") return emit_instruction(call);
  if (name == "call_registered") return emit_call_registered(e, arguments);
  if (name == "fail") return emit_fail(arguments);
  if (name == "if_then_else") return emit_if_then_else(arguments[0], arguments[1], arguments[2]);
  if (name == "reinterpret") return emit_reinterpret(arguments[0], type);
  if (name == "address_of") {
    const Load& element = *arguments[0].as<Load>();
    return emit_address(element.buffer, emit_offset(element.buffer, element.indices), false);
  }
  if (name == "prefetch") {
    llvm::Value* address = emit(arguments[0]);
    return builder_.CreateIntrinsic(
        llvm::Intrinsic::prefetch, {address->getType()},
        {address, emit(arguments[1]), builder_.getInt32(3), builder_.getInt32(1)});  // all caches, data
  }
  require(call.op->effect == Effect::pure,
          "{}: T.{} has no meaning on the cpu target {}; run the program by the interpreter", name_, name,
          target_.name);

  std::vector<llvm::Value*> values;
  for (const Expr& argument : arguments) values.push_back(emit(argument));
  const DataType operand = arguments.at(0).type();
  ensure(!operand.is_float() || operand.bits > 16 || name == "likely",
         "the LLVM backend met T.{} of {}, which legalise_types removes", name, to_string(operand));
  const auto unary = [&](llvm::Intrinsic::ID id, llvm::Value* x) {
    return builder_.CreateUnaryIntrinsic(id, x);
  };

  if (const auto at = machine_functions().find(name); at != machine_functions().end())
    return builder_.CreateIntrinsic(at->second, {values[0]->getType()}, values);
  if (library_functions().contains(name)) return emit_library_call(name, type, values);
  if (name == "scalbn") return emit_scaled(values[0], values[1]);
  if (name == "lookup") return emit_lookup(values[0], values[1]);
  if (name == "likely") {
    if (type != boolean) return values[0];
    return builder_.CreateIntrinsic(llvm::Intrinsic::expect, {values[0]->getType()},
                                    {values[0], builder_.getTrue()});
  }
  if (name == "abs" && type.is_float()) return unary(llvm::Intrinsic::fabs, values[0]);
  if (name == "abs" && !type.is_int()) return values[0];
  // The flags: the smallest integer, and zero, have defined answers.
  if (name == "abs")
    return builder_.CreateBinaryIntrinsic(llvm::Intrinsic::abs, values[0], builder_.getFalse());
  if (name == "clz")
    return builder_.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, values[0], builder_.getFalse());
  if (name == "popcount") return unary(llvm::Intrinsic::ctpop, values[0]);
  throw InternalError("the LLVM backend has no form for T." + name +
                      ", which lower_intrinsics must express by others");
}

}  // namespace ardea::codegen
