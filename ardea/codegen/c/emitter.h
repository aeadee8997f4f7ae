#pragma once

#include <functional>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ardea/codegen/c/helpers.h"
#include "ardea/codegen/c/names.h"
#include "ardea/codegen/c/text.h"
#include "ardea/codegen/options.h"
#include "ardea/codegen/ranges/ranges.h"
#include "ardea/codegen/tiles/tiles.h"
#include "ardea/ir/function.h"
#include "ardea/target/target.h"

/// Writes lowered functions as C. The class is one, because every part needs the names of the variables and
/// the place where the next line goes; its parts are files: emit_function, emit_stmt, emit_allocate,
/// emit_parallel, emit_expr, emit_arithmetic, emit_vector, emit_cast, emit_call, emit_abi, emit_instruction,
/// emit_memory.

namespace ardea::codegen::c {

/// What is known about one C function while it is written.
struct Frame {
  explicit Frame(const std::unordered_set<std::string>& file_names) : names(file_names) {}

  std::vector<std::string> lines = {};
  int depth = 1;  ///< of the indentation
  Names names;
  /// Of shared expression nodes: what to write for them, one table for each block that is open in the
  /// statement.
  std::vector<std::unordered_map<Expr, Text>> shared = {{}};
  std::int64_t effects = 0;            ///< calls written so far that may write memory
  std::vector<std::string> heap = {};  ///< names of the heap memory that is live here, innermost last
  std::int64_t stack_bytes = 0;
  bool is_parallel_body = false;
  bool fails = false;  ///< some path returns an error
  bool uses_tiles = false;
};

/// What is known of the memory behind a handle.
struct Memory {
  std::string element;  ///< C type of its elements; "" where its views differ, so that it is bytes
  std::int64_t alignment_bytes = 0;
  bool is_written = false;  ///< or may be, through its address
  bool may_be_restrict = false;
};

class Emitter {
 public:
  /// `calls_masked`: rows under a mask are moved by calls (codegen/ranges/masks.h).
  Emitter(const target::Target& target, bool calls_masked) : target_(target), helpers_(calls_masked) {}

  void emit_function(const Function& f);

  /// The functions so far, with what they need in front.
  std::string text() const { return helpers_.text() + functions_; }
  bool has_vectors() const { return helpers_.has_vectors(); }
  bool keeps_scalar() const { return keeps_scalar_; }  ///< whether clang may not vectorise some loop
  bool unrolls() const { return unrolls_; }  ///< whether some loop asks the C compiler to be unrolled

 private:
  // emit_function.cc
  void collect_memory(const Function& f);
  void emit_head(const Stmt& s);
  void emit_kernel(const Stmt& s);
  std::vector<Var> captured_variables(const Stmt& s);
  std::string parameter(const Var& var, const std::string& name, bool may_be_restrict);
  void assume_alignment(const std::vector<Var>& variables);
  std::string file_name(const std::string& wanted);
  /// The lines of the frame in braces behind `head`.
  void add_function(const std::string& comment, const std::string& head);
  /// The same for a function inside the file. One that uses tiles becomes two: what it does, and around it
  /// what gets and gives back the tiles, however it ends.
  void add_static_function(const std::string& comment, const std::string& type, const std::string& name,
                           const std::vector<std::string>& parameters, const std::vector<std::string>& names);

  // emit_stmt.cc
  void emit(const Stmt& s);
  void emit_for(const For& loop);
  void keep_scalar_unless_plain(const For& loop);
  void emit_loop(const For& loop, const std::string& type, const std::string& first, const std::string& end);
  void emit_if(const If& branch);
  void emit_let(const Var& var, const Expr& value);
  /// Writes an If whose test is `condition`; braces and line as short as they can be.
  void emit_guarded(const std::string& condition, const std::function<void()>& body);
  /// What leaves the function with an error, after `report` has recorded it.
  void emit_failure(const std::string& report);
  void line(const std::string& text);
  /// The lines that f writes, one level deeper, instead of writing them.
  std::vector<std::string> captured_lines(const std::function<void()>& f);
  void begin_statement(const std::vector<Expr>& roots);
  void count_use(const Expr& e);

  // emit_allocate.cc, emit_parallel.cc
  void emit_allocate(const Allocate& allocation);
  void emit_parallel(const For& loop);
  void emit_parallel_body(const For& loop, const std::vector<Var>& captured, const std::string& name);
  void emit_iterations(const For& loop);

  // emit_expr.cc
  Text emit(const Expr& e);
  Text emit_node(const Expr& e);
  /// The operands from left to right: what stands before one with an effect is computed before it.
  std::vector<Text> operands(const std::vector<Expr>& list);
  /// A constant of its type's own C type, anything else as emit has it.
  Text emit_typed(const Expr& e);
  Text emit_choice(const Expr& e, const Expr& condition, const Expr& when_true, const Expr& when_false,
                   bool lazy);
  Text emit_logical(const Binary& binary);
  Text join_conditions(BinaryOp op, const Text& a, const Text& b);
  /// A variable of the text that holds the value.
  Text named(const std::string& wanted, DataType type, const Text& value);

  // emit_arithmetic.cc
  Text emit_unary(const Expr& e, const Unary& unary);
  Text emit_binary(const Expr& e, const Binary& binary);
  Text emit_comparison(BinaryOp op, const Text& a, const Text& b);
  Text emit_wrapping(const Expr& e, const Binary& binary);
  Text emit_modulo(const Expr& e);
  Text emit_division(const Expr& e, const Binary& binary);
  Text emit_shift(const Expr& e, const Binary& binary);

  // emit_vector.cc
  Text emit_vector_binary(const Expr& e, const Binary& binary);
  /// A vector of bool as lanes of that many bits, all of them set or none.
  Text emit_mask(const Expr& e, int bits);
  /// The mask in a variable, where calls with effects may follow in the statement.
  Text before_effects(const Text& mask, int bits, int lanes);
  Text emit_mask_node(const Expr& e, int bits);
  Text emit_shuffle(const Shuffle& shuffle, DataType type);
  Text emit_broadcast(const Expr& value, DataType type);
  Text convert_lanes(const Text& value, const std::string& type);

  // emit_cast.cc
  Text emit_cast(const Text& value, DataType from, DataType to);
  Text emit_vector_cast(const Expr& value, DataType to);

  // emit_call.cc
  Text emit_call(const Expr& e, const Call& call);
  Text emit_pure_call(const std::string& name, DataType type, const std::vector<Text>& values);
  Text emit_reinterpret(const Expr& source, DataType to);

  // emit_abi.cc
  Text emit_abi(const std::string& name, DataType type, const std::vector<Expr>& arguments);
  Text emit_fail(const std::vector<Expr>& arguments);
  Text emit_call_registered(const Expr& e, const std::vector<Expr>& arguments);

  // emit_instruction.cc
  Text emit_instruction(const Call& call);

  // emit_memory.cc
  Text emit_load(const Load& load, DataType type);
  Text emit_vector_load(const Load& load, DataType type);
  void emit_store(const Store& store);
  void emit_vector_store(const Store& store);
  /// The place of an element, as a C pointer to elements of the buffer.
  Text emit_pointer(const Buffer& buffer, const Text& index);
  Text emit_base(const Buffer& buffer);
  Text emit_index(const Buffer& buffer, const Expr& index);
  Text emit_address(const Load& element);

  const target::Target& target_;
  Helpers helpers_;
  Ranges ranges_;
  Tiles tiles_;
  std::string functions_;
  std::unordered_set<std::string> file_names_;

  // Of the function, and the statement, that is being written.
  std::string name_, comment_;
  Frame frame_{file_names_};
  std::unordered_map<Var, Memory> memory_;
  std::unordered_set<Var> live_;
  std::unordered_map<Expr, int> uses_;
  bool statement_has_effects_ = false;
  bool unrolls_ = false, keeps_scalar_ = false;
};

}  // namespace ardea::codegen::c
