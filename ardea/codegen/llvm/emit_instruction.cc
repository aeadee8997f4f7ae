#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/SourceMgr.h>

#include <set>

#include "ardea/codegen/llvm/emitter.h"
#include "ardea/codegen/llvm/machine.h"
#include "ardea/intrin/families.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/support/error.h"

/// Tensor instructions: the text of the record's implementation becomes a function of the module, which LLVM
/// always inlines, so that operands in registers stay there.

namespace ardea::codegen {

namespace {

std::unique_ptr<llvm::Module> parsed(const intrin::Instruction& record, const std::string& text,
                                     const llvm::Module& like) {
  llvm::SMDiagnostic fault;
  std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(text, fault, like.getContext());
  require(module != nullptr, "{}: its implementation is no LLVM IR: line {}: {}", record.name,
          fault.getLineNo(), fault.getMessage().str());
  module->setTargetTriple(like.getTargetTriple());
  module->setDataLayout(like.getDataLayout());
  return module;
}

/// The only function that the text defines; it takes what the record says, and gives nothing.
llvm::Function& only_definition(const intrin::Instruction& record, llvm::Module& module) {
  llvm::Function* found = nullptr;
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    require(found == nullptr, "{}: its implementation defines several functions, must define one",
            record.name);
    found = &function;
  }
  require(found != nullptr, "{}: its implementation defines no function", record.name);
  std::vector<Parameter> parameters;  // tiles are numbers in the text
  std::size_t operand = 0;
  for (const Parameter& parameter : record.meaning.parameters)
    if (!parameter.buffer.defined() || record.operands[operand++].scope != "amx.tile")
      parameters.push_back(parameter);
  bool fits = found->arg_size() == parameters.size() && found->getReturnType()->isVoidTy();
  for (unsigned i = 0; fits && i < parameters.size(); ++i) {
    const llvm::Type* type = found->getArg(i)->getType();
    fits = parameters[i].buffer.defined() ? type->isPointerTy() : type->isIntegerTy(64);
  }
  require(
      fits,
      "{}: its implementation must take a ptr for each buffer and an i64 for each integer, and give nothing",
      record.name);
  require(found->size() == 1,
          "{}: its implementation branches, but a record is one instruction without loops", record.name);
  return *found;
}

}  // namespace

/// The implementation with the numbers of its tiles, as a function of the module.
llvm::Function* Emitter::instruction_function(const intrin::Instruction& record,
                                              const std::map<std::string, std::string>& tiles) {
  std::string symbol = "ardea.instruction." + record.name;
  for (const auto& [parameter, number] : tiles) symbol += "." + number;
  if (llvm::Function* known = module_.getFunction(symbol)) return known;
  std::unique_ptr<llvm::Module> module =
      parsed(record, intrin::filled(record.implementations.at("llvm"), tiles), module_);
  llvm::Function& definition = only_definition(record, *module);
  definition.setName(symbol);
  definition.setLinkage(llvm::GlobalValue::ExternalLinkage);
  ensure(!llvm::Linker::linkModules(module_, std::move(module)), "{} could not be linked", record.name);
  llvm::Function* function = module_.getFunction(symbol);
  function->setLinkage(llvm::GlobalValue::InternalLinkage);
  function->addFnAttr(llvm::Attribute::AlwaysInline);
  add_machine(*function);
  return function;
}

llvm::Value* Emitter::emit_instruction(const Call& call) {
  const std::vector<Expr>& arguments = call.arguments;
  const intrin::Instruction& record = intrin::find_instruction(arguments.at(0).as<StringImm>()->value);
  ensure(record.implementations.contains("llvm"),
         "{}: {} has no implementation by LLVM, which lowering expands", name_, record.name);
  std::map<std::string, std::string> tiles;
  std::set<std::size_t> are_tiles;
  for (const TileOperand& operand : tile_operands(call)) {
    tiles[operand.parameter] = std::to_string(tiles_.number(operand));
    are_tiles.insert(operand.position);
  }
  frame_.uses_tiles = frame_.uses_tiles || !tiles.empty();
  llvm::Function* function = instruction_function(record, tiles);
  std::vector<llvm::Value*> operands;
  for (std::size_t i = 1; i < arguments.size(); ++i)
    if (!are_tiles.contains(i))
      operands.push_back(arguments[i].type().is_handle() ? emit(arguments[i]) : emit_index(arguments[i]));
  ++frame_.effects;
  return builder_.CreateCall(function, operands);
}

/// The whole function runs with one configuration of the tiles, after the kernel has let the process use
/// them.
void Emitter::configure_tiles() {
  llvm::Function& function = *frame_.function;
  std::vector<llvm::ReturnInst*> returns;
  for (llvm::BasicBlock& block : function)
    if (auto* end = llvm::dyn_cast<llvm::ReturnInst>(block.getTerminator())) returns.push_back(end);
  llvm::IRBuilderBase::InsertPointGuard guard(builder_);
  for (llvm::ReturnInst* end : returns) {
    builder_.SetInsertPoint(end);
    builder_.CreateIntrinsic(llvm::Intrinsic::x86_tilerelease, {}, {});
  }
  auto* leave = llvm::cast<llvm::BranchInst>(frame_.entry->getTerminator());
  llvm::BasicBlock *code = leave->getSuccessor(0), *granted = new_block("tiles"),
                   *refused = new_block("no_tiles");
  builder_.SetInsertPoint(refused);
  builder_.CreateRet(builder_.getInt32(static_cast<std::uint32_t>(-1)));
  builder_.SetInsertPoint(granted);
  const std::vector<unsigned char> bytes = tile_configuration();
  llvm::GlobalVariable* configuration = module_.getGlobalVariable("ardea.tiles", true);
  if (configuration == nullptr) {
    auto* value = llvm::ConstantDataArray::get(context_, llvm::ArrayRef<std::uint8_t>(bytes));
    configuration = new llvm::GlobalVariable(module_, value->getType(), true,
                                             llvm::GlobalValue::PrivateLinkage, value, "ardea.tiles");
  }
  builder_.CreateIntrinsic(llvm::Intrinsic::x86_ldtilecfg, {}, {configuration});
  builder_.CreateBr(code);
  builder_.SetInsertPoint(leave);
  llvm::Value* status = builder_.CreateCall(runtime_function("ardea_request_tiles"), {});
  builder_.CreateCondBr(builder_.CreateICmpEQ(status, builder_.getInt32(0)), granted, refused);
  leave->eraseFromParent();
}

}  // namespace ardea::codegen
