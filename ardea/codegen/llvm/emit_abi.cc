#include <dlpack/dlpack.h>

#include <cstddef>

#include "ardea/codegen/llvm/emitter.h"
#include "ardea/codegen/llvm/types.h"
#include "ardea/runtime/abi.h"
#include "ardea/support/error.h"
#include "ardea/support/text.h"

/// The two edges of generated code (runtime/abi.h): how it reads what it is called with, and how it calls
/// out.

namespace ardea::codegen {

namespace {

static_assert(sizeof(ArdeaValue) == 8 && sizeof(void*) == 8,
              "the emitted offsets are those of a 64-bit machine");

struct Signature {
  const char* name;
  const char* result;      // v: nothing, p: pointer, i: int32, l: int64
  const char* parameters;  // one such letter each
};

constexpr Signature runtime_signatures[] = {
    {"ardea_set_error", "v", "p"},      {"ardea_set_error_format", "v", "ppi"},
    {"ardea_allocate", "p", "ll"},      {"ardea_free", "v", "p"},
    {"ardea_parallel_for", "i", "ppl"}, {"ardea_call_registered", "i", "pppipp"},
    {"ardea_request_tiles", "i", ""},
};

llvm::Type* type_of_letter(llvm::IRBuilder<>& builder, char letter) {
  switch (letter) {
    case 'p': return builder.getPtrTy();
    case 'i': return builder.getInt32Ty();
    case 'l': return builder.getInt64Ty();
    default: return builder.getVoidTy();
  }
}

}  // namespace

llvm::Function* Emitter::runtime_function(const std::string& name) {
  if (llvm::Function* known = module_.getFunction(name)) return known;
  for (const Signature& signature : runtime_signatures) {
    if (name != signature.name) continue;
    std::vector<llvm::Type*> parameters;
    for (const char* letter = signature.parameters; *letter != 0; ++letter)
      parameters.push_back(type_of_letter(builder_, *letter));
    auto* type = llvm::FunctionType::get(type_of_letter(builder_, signature.result[0]), parameters, false);
    llvm::Function* function =
        llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, name, module_);
    function->addFnAttr(llvm::Attribute::NoUnwind);
    if (name == "ardea_allocate") function->addRetAttr(llvm::Attribute::NoAlias);
    if (name.starts_with("ardea_set_error")) function->addFnAttr(llvm::Attribute::Cold);
    return function;
  }
  throw InternalError("generated code calls " + name + ", which is not in the ABI");
}

/// Integers and floats are 64 bits wide in the packed form, whatever the program's type.
llvm::Value* Emitter::emit_packed_argument(const Expr& index, DataType type) {
  ensure(frame_.arguments != nullptr, "{}: packed arguments are read inside a parallel loop", name_);
  const DataType packed = type.is_float() ? float64 : type.is_handle() ? handle_type : int64;
  llvm::Value* slot = builder_.CreateGEP(builder_.getInt64Ty(), frame_.arguments, emit_index(index));
  llvm::Value* value = builder_.CreateAlignedLoad(register_type(context_, packed), slot, llvm::Align(8));
  return emit_cast(value, packed, type);
}

llvm::Value* Emitter::emit_abi(const std::string& name, const Expr& e, const std::vector<Expr>& arguments) {
  const DataType type = e.type();
  const auto load = [&](DataType stored, llvm::Value* base, std::int64_t byte_offset) {
    llvm::Value* at =
        builder_.CreateConstGEP1_64(builder_.getInt8Ty(), base, static_cast<std::uint64_t>(byte_offset));
    return builder_.CreateAlignedLoad(register_type(context_, stored), at,
                                      llvm::Align(static_cast<std::uint64_t>(stored.bytes())));
  };
  const auto element = [&](llvm::Value* base, const Expr& index, DataType stored) {
    llvm::Value* at = builder_.CreateGEP(register_type(context_, stored), base, emit_index(index));
    return builder_.CreateAlignedLoad(register_type(context_, stored), at,
                                      llvm::Align(static_cast<std::uint64_t>(stored.bytes())));
  };
  if (name == "abi_argument") return emit_packed_argument(arguments[0], type);
  if (name == "abi_argument_count") return emit_cast(frame_.count, int32, type);
  if (name == "abi_type_code") return emit_cast(element(frame_.type_codes, arguments[0], int32), int32, type);

  llvm::Value* tensor = emit(arguments[0]);
  if (name == "abi_tensor_data")
    return builder_.CreateGEP(builder_.getInt8Ty(), load(handle_type, tensor, offsetof(DLTensor, data)),
                              load(uint64, tensor, offsetof(DLTensor, byte_offset)));
  if (name == "abi_tensor_rank") return emit_cast(load(int32, tensor, offsetof(DLTensor, ndim)), int32, type);
  if (name == "abi_tensor_shape")
    return emit_cast(element(load(handle_type, tensor, offsetof(DLTensor, shape)), arguments[1], int64),
                     int64, type);
  if (name == "abi_tensor_stride")
    return emit_cast(builder_.CreateCall(tensor_stride_function(), {tensor, emit_index(arguments[1])}), int64,
                     type);
  ensure(name == "abi_tensor_type", "the LLVM backend does not know the intrinsic T.{}", name);
  constexpr std::int64_t dtype = offsetof(DLTensor, dtype);
  const auto part = [&](DataType stored, std::int64_t byte_offset) {
    return emit_cast(load(stored, tensor, dtype + byte_offset), stored, uint32);
  };
  llvm::Value* code = builder_.CreateShl(part(uint8, offsetof(DLDataType, code)), 24);
  llvm::Value* bits = builder_.CreateShl(part(uint8, offsetof(DLDataType, bits)), 16);
  llvm::Value* lanes = part(uint16, offsetof(DLDataType, lanes));
  return emit_cast(builder_.CreateOr(builder_.CreateOr(code, bits), lanes), uint32, type);
}

/// int64_t stride(tensor, dimension), once a module: every check of a stride would be a loop of its own
/// otherwise, and take longer to compile than the program. A tensor without strides is row-major: the product
/// of the extents behind the dimension.
llvm::Function* Emitter::tensor_stride_function() {
  const char* const name = "ardea_tensor_stride";
  if (llvm::Function* known = module_.getFunction(name)) return known;
  Frame caller = std::move(frame_);
  llvm::IRBuilderBase::InsertPointGuard guard(builder_);
  llvm::Type *word = builder_.getInt64Ty(), *pointer = builder_.getPtrTy();
  begin_function(name, llvm::FunctionType::get(word, {pointer, word}, false),
                 llvm::GlobalValue::InternalLinkage);
  llvm::Function* function = frame_.function;
  function->addFnAttr(llvm::Attribute::NoInline);
  function->addFnAttr(llvm::Attribute::MinSize);
  function->addFnAttr(llvm::Attribute::OptimizeForSize);
  llvm::Value *tensor = function->getArg(0), *dimension = function->getArg(1);
  const auto field = [&](llvm::Type* type, std::size_t offset) {
    return builder_.CreateLoad(type, builder_.CreateConstGEP1_64(builder_.getInt8Ty(), tensor, offset));
  };
  const auto element = [&](llvm::Value* base, llvm::Value* index) {
    return builder_.CreateLoad(word, builder_.CreateGEP(word, base, index));
  };
  llvm::Value* strides = field(pointer, offsetof(DLTensor, strides));
  llvm::Value* stride = emit_lazily(
      builder_.CreateIsNull(strides),
      [&]() -> llvm::Value* {
        llvm::Value* shape = field(pointer, offsetof(DLTensor, shape));
        llvm::Value* rank = builder_.CreateSExt(field(builder_.getInt32Ty(), offsetof(DLTensor, ndim)), word);
        llvm::AllocaInst* product = stack_slot(word, llvm::Align(8), "product");
        builder_.CreateStore(builder_.getInt64(1), product);
        emit_counted_loop(
            builder_.CreateAdd(dimension, builder_.getInt64(1)), rank, true, [&](llvm::Value* d) {
              builder_.CreateStore(builder_.CreateMul(builder_.CreateLoad(word, product), element(shape, d)),
                                   product);
            });
        return builder_.CreateLoad(word, product);
      },
      [&]() -> llvm::Value* { return element(strides, dimension); });
  builder_.CreateRet(stride);
  frame_ = std::move(caller);
  return function;
}

/// What comes after it is never reached, but must be somewhere: a block that nothing branches to.
llvm::Value* Emitter::emit_fail(const std::vector<Expr>& arguments) {
  const auto* sentence = arguments.empty() ? nullptr : arguments[0].as<StringImm>();
  require(sentence != nullptr, "{}: T.fail: the first argument must be the sentence as a string", name_);
  const auto count = static_cast<unsigned>(arguments.size() - 1);
  if (count == 0) {
    set_error(sentence->value);
  } else {
    llvm::Type* word = builder_.getInt64Ty();
    llvm::AllocaInst* values = stack_slot(llvm::ArrayType::get(word, count), llvm::Align(8), "values");
    for (unsigned i = 0; i < count; ++i)
      builder_.CreateStore(emit_index(arguments[i + 1]), builder_.CreateConstGEP1_64(word, values, i));
    builder_.CreateCall(runtime_function("ardea_set_error_format"),
                        {string_constant(sentence->value), values, builder_.getInt32(count)});
  }
  ++frame_.effects;
  builder_.CreateBr(failure_block(frame_.heap.size()));
  builder_.SetInsertPoint(new_block("unreached"));
  return builder_.getInt32(0);
}

llvm::Value* Emitter::emit_call_registered(const Expr& e, const std::vector<Expr>& arguments) {
  const auto* name = arguments.empty() ? nullptr : arguments[0].as<StringImm>();
  require(name != nullptr,
          "{}: T.call_registered: the first argument must be the function's name as a string", name_);
  const auto count = static_cast<unsigned>(arguments.size() - 1);
  llvm::Type *word = builder_.getInt64Ty(), *short_word = builder_.getInt32Ty();
  llvm::AllocaInst* values = stack_slot(llvm::ArrayType::get(word, count + 1), llvm::Align(8), "values");
  llvm::AllocaInst* codes = stack_slot(llvm::ArrayType::get(short_word, count + 1), llvm::Align(4), "codes");
  const auto slot = [&](llvm::Type* type, llvm::Value* base, unsigned i) {
    return builder_.CreateConstGEP1_64(type, base, i);
  };

  std::vector<llvm::Value*> packed;
  std::vector<int> packed_codes;
  for (unsigned i = 0; i < count; ++i) {
    const Expr& argument = arguments[i + 1];
    const DataType type = argument.type();
    require(type.is_scalar() && !type.is_none(),
            "{}: T.call_registered({}): argument {} is {}, must be a scalar", name_, in_quotes(name->value),
            i + 1, to_string(type));
    const bool is_text = argument.is<StringImm>();
    llvm::Value* value = emit(argument);
    if (type.is_float()) value = emit_cast(value, type, float64);
    if (type.is_integer() || type.is_bool()) value = emit_cast(value, type, int64);
    packed.push_back(value);
    packed_codes.push_back(is_text            ? ARDEA_STRING
                           : type.is_float()  ? ARDEA_FLOAT
                           : type.is_handle() ? ARDEA_HANDLE
                                              : ARDEA_INT);
  }
  // Stored after all are computed: an argument may itself be such a call.
  for (unsigned i = 0; i < count; ++i) {
    builder_.CreateStore(packed[i], slot(word, values, i));
    builder_.CreateStore(builder_.getInt32(static_cast<std::uint32_t>(packed_codes[i])),
                         slot(short_word, codes, i));
  }
  llvm::Value *result = slot(word, values, count), *code = slot(short_word, codes, count);
  builder_.CreateStore(builder_.getInt64(0), result);
  builder_.CreateStore(builder_.getInt32(ARDEA_NULL), code);
  llvm::Value* status = builder_.CreateCall(
      runtime_function("ardea_call_registered"),
      {string_constant(name->value), values, codes, builder_.getInt32(count), result, code});
  ++frame_.effects;
  emit_failure_unless(builder_.CreateICmpEQ(status, builder_.getInt32(0)), [] {});
  if (e.type().is_none()) return builder_.getInt32(0);
  return emit_registered_result(name->value, e.type(), result, code);
}

/// An integer given back where a float is wanted is that float; anything else of another kind is an error.
llvm::Value* Emitter::emit_registered_result(const std::string& name, DataType type, llvm::Value* result,
                                             llvm::Value* code) {
  require(type.is_scalar(), "{}: T.call_registered({}): the result is {}, must be a scalar", name_,
          in_quotes(name), to_string(type));
  llvm::Value* given = builder_.CreateLoad(builder_.getInt32Ty(), code);
  const auto is = [&](int wanted) {
    return builder_.CreateICmpEQ(given, builder_.getInt32(static_cast<std::uint32_t>(wanted)));
  };
  const auto read = [&](DataType packed) {
    return builder_.CreateLoad(register_type(context_, packed), result);
  };
  llvm::Value* fits = type.is_float()    ? builder_.CreateOr(is(ARDEA_FLOAT), is(ARDEA_INT))
                      : type.is_handle() ? builder_.CreateOr(is(ARDEA_HANDLE), is(ARDEA_NULL))
                                         : is(ARDEA_INT);
  emit_failure_unless(fits, [&] {
    set_error(fmt::format(
        "{}: T.call_registered({}) must give back {}, but the registered function gave something else", name_,
        in_quotes(name), to_string(type)));
  });
  if (type.is_handle()) return read(handle_type);
  if (!type.is_float()) return emit_cast(read(int64), int64, type);
  llvm::Value* from_integer = emit_cast(read(int64), int64, type);
  return builder_.CreateSelect(is(ARDEA_INT), from_integer, emit_cast(read(float64), float64, type));
}

}  // namespace ardea::codegen
