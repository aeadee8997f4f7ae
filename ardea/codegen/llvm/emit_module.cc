#include "ardea/codegen/llvm/emit_module.h"

#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include <set>

#include "ardea/codegen/llvm/emitter.h"
#include "ardea/codegen/llvm/machine.h"
#include "ardea/codegen/llvm/short_loops.h"
#include "ardea/ir/memory_alignment.h"
#include "ardea/ir/traverse.h"
#include "ardea/support/error.h"

namespace ardea::codegen {

Emitter::Emitter(llvm::Module& module, const target::Target& target, const Options& options)
    : context_(module.getContext()),
      module_(module),
      target_(target),
      options_(options),
      builder_(context_) {}

void Emitter::begin_function(const std::string& name, llvm::FunctionType* type,
                             llvm::GlobalValue::LinkageTypes linkage) {
  frame_ = {};
  frame_.function = llvm::Function::Create(type, linkage, name, module_);
  frame_.function->addFnAttr(llvm::Attribute::NoUnwind);
  frame_.function->addFnAttr(llvm::Attribute::MustProgress);
  add_machine(*frame_.function);
  frame_.entry = new_block("entry");
  llvm::BasicBlock* code = new_block("code");
  builder_.SetInsertPoint(frame_.entry);
  builder_.CreateBr(code);
  builder_.SetInsertPoint(code);
}

void Emitter::add_machine(llvm::Function& function) const {
  function.addFnAttr("target-cpu", baseline_cpu(target_.arch));
  function.addFnAttr("tune-cpu", target_.cpu);
  function.addFnAttr("target-features", target_.llvm_features());
  // Some processors are tuned for narrower vectors than they have; what is vectorized here is meant to be.
  if (target_.arch == target::Arch::x86_64)
    function.addFnAttr("prefer-vector-width", std::to_string(target_.vector_bits));
}

void Emitter::end_function() {
  builder_.CreateRet(builder_.getInt32(0));
  if (frame_.uses_tiles) configure_tiles();
}

llvm::BasicBlock* Emitter::new_block(const std::string& name) {
  return llvm::BasicBlock::Create(context_, name, frame_.function);
}

void Emitter::emit_function(const Function& given) {
  const Function f = with_short_loops_written_out(given);
  name_ = f.name;
  reads_halves_ = false;
  visit_exprs(f.body, [&](const Expr& e) { reads_halves_ = reads_halves_ || e.type().element() == float16; });
  alignment_ = memory_alignments(f);
  collect_alias_scopes(f);
  tiles_ = Tiles(f);

  // int32_t (const ArdeaValue* arguments, const int32_t* type_codes, int32_t count, ArdeaValue* result,
  // int32_t* code)
  llvm::Type* pointer = builder_.getPtrTy();
  llvm::Type* word = builder_.getInt32Ty();
  begin_function(entry_symbol(f.name),
                 llvm::FunctionType::get(word, {pointer, pointer, word, pointer, pointer}, false),
                 llvm::GlobalValue::ExternalLinkage);
  frame_.arguments = frame_.function->getArg(0);
  frame_.type_codes = frame_.function->getArg(1);
  frame_.count = frame_.function->getArg(2);
  const char* names[] = {"arguments", "type_codes", "count", "result", "result_code"};
  for (unsigned i = 0; i < 5; ++i) frame_.function->getArg(i)->setName(names[i]);
  emit(f.body);
  end_function();
}

std::unique_ptr<llvm::Module> emit_module(llvm::LLVMContext& context, std::span<const Function> functions,
                                          const llvm::TargetMachine& machine, const target::Target& target,
                                          const Options& options) {
  auto module = std::make_unique<llvm::Module>("ardea", context);
  module->setTargetTriple(target.triple);
  module->setDataLayout(machine.createDataLayout());
  module->setPICLevel(llvm::PICLevel::BigPIC);
  Emitter emitter(*module, target, options);
  std::set<std::string> names;
  for (const Function& f : functions) {
    require(names.insert(f.name).second, "two functions are called {}; rename one", f.name);
    emitter.emit_function(f);
  }
  std::string fault;
  llvm::raw_string_ostream stream(fault);
  ensure(!llvm::verifyModule(*module, &stream), "the LLVM backend emitted a module that LLVM refuses: {}",
         fault);
  return module;
}

}  // namespace ardea::codegen
