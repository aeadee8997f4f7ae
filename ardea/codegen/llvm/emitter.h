#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <functional>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ardea/codegen/llvm/codegen.h"
#include "ardea/codegen/ranges/ranges.h"
#include "ardea/codegen/tiles/tiles.h"
#include "ardea/ir/function.h"

/// Writes lowered functions into one LLVM module. The class is one, because every part needs the builder and
/// the values of the variables; its parts are files: emit_expr, emit_arithmetic, emit_cast, emit_call,
/// emit_instruction, emit_abi, emit_memory, emit_strided, emit_past_caches, emit_stmt, emit_allocate,
/// emit_parallel.

namespace ardea::intrin {
struct Instruction;
}

namespace ardea::codegen {

/// What is known about one LLVM function while it is written: an entry point, or the body of a parallel loop.
struct Frame {
  llvm::Function* function = nullptr;
  llvm::BasicBlock* entry = nullptr;  ///< holds the allocas and ends with a branch to the code
  std::unordered_map<Var, llvm::Value*> values = {};
  /// Powers of two that divide variables: names for parts of indices do not hide their alignment.
  std::unordered_map<Var, std::int64_t> divisors = {};

  /// Heap memory that is live here, innermost last. `release` is made when the first error needs it: it frees
  /// the memory and goes on outwards, so that every error leaves through one chain.
  struct HeapMemory {
    llvm::Value* memory = nullptr;
    llvm::BasicBlock* release = nullptr;
  };
  std::vector<HeapMemory> heap = {};
  llvm::BasicBlock* failure = nullptr;  ///< returns -1

  /// Values of shared expression nodes, one table for each lazily evaluated side that is open.
  std::vector<std::unordered_map<Expr, llvm::Value*>> shared = {{}};
  std::int64_t effects = 0;  ///< calls emitted so far that may write memory

  std::int64_t stack_bytes = 0;
  bool is_parallel_body = false;
  bool uses_tiles = false;
  /// The packed arguments; null in the body of a parallel loop, where lowering reads none.
  llvm::Value *arguments = nullptr, *type_codes = nullptr, *count = nullptr;
};

class Emitter {
 public:
  Emitter(llvm::Module& module, const target::Target& target, const Options& options);

  /// Adds the entry point of the function to the module.
  void emit_function(const Function& given);

 private:
  // emit_expr.cc
  llvm::Value* emit(const Expr& e);
  llvm::Value* emit_node(const Expr& e);
  llvm::Value* emit_constant(double value, DataType type);
  llvm::Value* emit_variable(const Var& var);
  llvm::Value* emit_let(const Let& let);
  llvm::Value* emit_ramp(const Ramp& ramp, int lanes);
  llvm::Value* emit_shuffle(const Shuffle& shuffle);
  /// Evaluates one side only, by branches.
  llvm::Value* emit_lazily(llvm::Value* condition, const std::function<llvm::Value*()>& when_true,
                           const std::function<llvm::Value*()>& when_false);
  llvm::Value* emit_if_then_else(const Expr& condition, const Expr& when_true, const Expr& when_false);
  llvm::Value* emit_logical(const Binary& binary);
  llvm::Value* emit_index(const Expr& index);  ///< as 64 bits
  llvm::Constant* string_constant(const std::string& text);

  // emit_arithmetic.cc
  llvm::Value* emit_unary(const Unary& unary);
  llvm::Value* emit_binary(const Expr& e, const Binary& binary);
  llvm::Value* emit_float_binary(BinaryOp op, llvm::Value* a, llvm::Value* b);
  llvm::Value* emit_extreme(bool greatest, llvm::Value* a, llvm::Value* b);
  llvm::Value* emit_scaled(llvm::Value* x, llvm::Value* n);
  llvm::Value* emit_lookup(llvm::Value* index, llvm::Value* table);
  /// `fits`: the exact result is within the type.
  llvm::Value* emit_integer_binary(BinaryOp op, bool is_signed, llvm::Value* a, llvm::Value* b, bool fits);
  llvm::Value* emit_comparison(BinaryOp op, DataType type, llvm::Value* a, llvm::Value* b);
  void keep_from_halves(llvm::Value*& a, llvm::Value*& b);

  // emit_cast.cc
  llvm::Value* emit_cast(llvm::Value* value, DataType from, DataType to);
  llvm::Value* half_to_float(llvm::Value* bits);
  llvm::Value* float_to_half(llvm::Value* value);
  llvm::Value* double_to_odd_float(llvm::Value* value);

  // emit_call.cc
  llvm::Value* emit_call(const Expr& e, const Call& call);
  llvm::Value* emit_library_call(const std::string& name, DataType type,
                                 const std::vector<llvm::Value*>& arguments);
  llvm::Value* emit_reinterpret(const Expr& source, DataType to);

  // emit_instruction.cc
  llvm::Value* emit_instruction(const Call& call);
  llvm::Function* instruction_function(const intrin::Instruction& record,
                                       const std::map<std::string, std::string>& tiles);
  void configure_tiles();

  // emit_abi.cc
  llvm::Value* emit_abi(const std::string& name, const Expr& e, const std::vector<Expr>& arguments);
  llvm::Value* emit_packed_argument(const Expr& index, DataType type);
  llvm::Function* tensor_stride_function();
  llvm::Value* emit_fail(const std::vector<Expr>& arguments);
  llvm::Value* emit_call_registered(const Expr& e, const std::vector<Expr>& arguments);
  llvm::Value* emit_registered_result(const std::string& name, DataType type, llvm::Value* result,
                                      llvm::Value* code);
  llvm::Function* runtime_function(const std::string& name);

  // emit_memory.cc
  llvm::Value* emit_load(const Load& load, DataType type);
  void emit_store(const Store& store);
  llvm::Value* emit_address(const Buffer& buffer, llvm::Value* offset, bool in_bounds);
  llvm::Value* emit_offset(const Buffer& buffer, const std::vector<Expr>& indices);
  llvm::Align element_alignment(const Buffer& buffer) const;
  llvm::Align access_alignment(const Buffer& buffer, const std::vector<Expr>& indices);
  llvm::Value* to_memory(llvm::Value* value, DataType type);
  llvm::Value* from_memory(llvm::Value* value, DataType type);
  void collect_alias_scopes(const Function& f);
  template <class Instruction>
  Instruction* mark_aliasing(Instruction* access, const Buffer& buffer) {
    if (const auto at = aliasing_.find(buffer->data); at != aliasing_.end()) {
      access->setMetadata(llvm::LLVMContext::MD_alias_scope, at->second.scope);
      access->setMetadata(llvm::LLVMContext::MD_noalias, at->second.others);
    }
    return access;
  }

  // emit_strided.cc
  /// Lanes of a whole number of elements apart; null where the stride is none of those that it serves.
  llvm::Value* emit_strided_load(const Buffer& buffer, const Ramp& ramp, int lanes);

  // emit_past_caches.cc
  bool may_go_past_caches(const For& loop) const;
  std::vector<Var> streamed_arguments(const For& loop) const;
  bool goes_past_caches() const { return past_caches_line_.value_or(0) > 0; }
  void emit_past_caches(const For& loop);
  void emit_past_caches_fence();
  /// Where that was asked for, and the store is known to begin on a multiple of its size.
  void send_past_caches(llvm::StoreInst& store, const Buffer& buffer);

  // emit_stmt.cc
  void emit(const Stmt& s);
  void emit_for(const For& loop);
  /// for var in [begin, end): body, on signed or unsigned integers of one type. The branch back, which may
  /// carry requests to LLVM.
  llvm::Instruction* emit_counted_loop(llvm::Value* begin, llvm::Value* end, bool is_signed,
                                       const std::function<void(llvm::Value*)>& body);
  /// Tells LLVM what the loop of that branch back is like.
  void advise(llvm::Instruction& latch, const For& loop);
  void emit_if(const If& branch);
  void emit_assert(const Assert& assertion);
  void emit_failure_unless(llvm::Value* condition, const std::function<void()>& report);
  llvm::BasicBlock* failure_block(std::size_t heap_depth);
  void set_error(const std::string& sentence);

  // emit_allocate.cc
  void emit_allocate(const Allocate& allocation);
  void emit_register_slot(const Allocate& allocation);
  llvm::AllocaInst* stack_slot(llvm::Type* type, llvm::Align alignment, const std::string& name);

  // emit_parallel.cc
  void emit_parallel(const For& loop);
  std::vector<Var> captured_variables(const For& loop);
  llvm::Function* emit_parallel_body(const For& loop, const std::vector<Var>& captured,
                                     llvm::StructType* closure);

  void begin_function(const std::string& name, llvm::FunctionType* type,
                      llvm::GlobalValue::LinkageTypes linkage);
  void end_function();
  /// What the function may use of the machine.
  void add_machine(llvm::Function& function) const;
  llvm::BasicBlock* new_block(const std::string& name);
  llvm::Value* splat(llvm::Value* scalar, int lanes);
  llvm::Value* integer(llvm::Type* type, std::int64_t value);

  llvm::LLVMContext& context_;
  llvm::Module& module_;
  const target::Target& target_;
  const Options& options_;
  llvm::IRBuilder<> builder_;
  std::string name_;           ///< of the function that is being emitted
  bool reads_halves_ = false;  ///< that function
  Frame frame_;
  Ranges ranges_;
  Tiles tiles_;

  /// Of each handle that the function defines: the bytes that its buffers promise, and what it does not
  /// alias.
  std::unordered_map<Var, std::int64_t> alignment_;
  struct Aliasing {
    llvm::MDNode *scope = nullptr, *others = nullptr;
  };
  std::unordered_map<Var, Aliasing> aliasing_;
  std::unordered_set<Var> arguments_;  ///< handles of memory that callers own
  /// Bytes of a line, while stores to it go past the caches; 0 while that was asked for, and is not so.
  std::optional<std::int64_t> past_caches_line_;
  std::unordered_map<std::string, llvm::Constant*> strings_;
};

}  // namespace ardea::codegen
