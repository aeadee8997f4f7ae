#pragma once

#include <functional>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ardea/arith/analyzer.h"
#include "ardea/codegen/c/names.h"
#include "ardea/codegen/c/text.h"
#include "ardea/codegen/cuda/helpers.h"
#include "ardea/codegen/ranges/ranges.h"
#include "ardea/intrin/instruction.h"
#include "ardea/ir/function.h"
#include "ardea/lower/gpu/split_kernels.h"
#include "ardea/lower/movable.h"

/// Writes one kernel as CUDA C++. Its parts are files: emit_kernel, emit_stmt, emit_expr, emit_arithmetic,
/// emit_call, emit_instruction, emit_copies, emit_under_way, emit_memory.

namespace ardea::codegen::cuda {

using c::Binding;
using c::Text;

/// The C++ type of a scalar; bool in memory is a byte already (legalise_types).
std::string type_name(DataType type);

/// One lane of a ramp.
Expr lane_of(const Ramp& ramp, int lane);

/// A vector has no text of its own: each of its lanes has one. What reads or writes a row of lanes at once
/// moves them as a Pack (helpers.h).
class Emitter {
 public:
  /// `alignments`: on which multiples memory begins (ir/memory_alignment.h).
  Emitter(const lower::Kernel& kernel, const std::unordered_map<Var, std::int64_t>& alignments,
          const arith::Analyzer& facts, Helpers& helpers);

  /// The kernel with the comment before it.
  std::string run();

 private:
  // emit_kernel.cc
  void define_memory();
  std::string parameter(const Var& var);
  void emit_indices(const std::vector<For>& loops);
  void emit_shared_memory();
  void emit_beside_other_kernels();

  // emit_stmt.cc
  void emit_alone(const Stmt& s);
  void emit_for(const For& loop);
  void emit_if(const If& branch);
  void emit_let(const Var& var, const Expr& value);
  void emit_allocate(const Allocate& allocation);
  void line(const std::string& text);
  /// The lines that f writes, one level deeper, instead of writing them.
  std::vector<std::string> captured_lines(const std::function<void()>& f);
  void add_lines(const std::vector<std::string>& lines);
  void begin_statement(const std::vector<Expr>& roots);
  void count_use(const Expr& e);

  // emit_under_way.cc
  void emit(const Stmt& s);
  void emit_to_its_end(const Stmt& s);
  void emit_iteration(const Stmt& body);
  void ask_for_copies();
  void note_product(const Call& call, const intrin::Instruction& record);
  void wait_for_products();

  // emit_expr.cc
  /// One lane of e; of a scalar, itself.
  Text emit(const Expr& e, int lane = 0);
  Text emit_node(const Expr& e, int lane);
  /// What was written for the lane in this statement, if anything.
  const Text* known(const Expr& e, int lane) const;
  Text named(const std::string& wanted, DataType type, const Text& value);
  /// Of two integer constants at least one is written with its type.
  Text emit_typed(const Expr& e, int lane);
  Text emit_choice(const Expr& e, const Expr& condition, const Expr& when_true, const Expr& when_false,
                   int lane);
  Text lazy_choice(DataType type, const std::string& test, const std::function<Text()>& when_true,
                   const std::function<Text()>& when_false);
  Text emit_logical(const Binary& binary, int lane);

  // emit_arithmetic.cc
  Text emit_unary(const Expr& e, const Unary& unary, int lane);
  Text emit_binary(const Expr& e, const Binary& binary, int lane);
  Text emit_cast(const Text& value, DataType from, DataType to);

  // emit_call.cc
  Text emit_call(const Expr& e, const Call& call, int lane);
  void emit_fail(const std::vector<Expr>& arguments);
  Text emit_reinterpret(const Expr& source, DataType to, int lane);

  // emit_instruction.cc
  void define_memory_of_calls();
  void emit_fragments(const Allocate& allocation, std::int64_t elements);
  void require_no_fragment(const Buffer& buffer) const;
  Text emit_instruction(const Call& call);
  Text emit_operand(const intrin::Operand& operand, const Load& element);
  void check_rows(const Call& call, const Buffer& formal, const intrin::Operand& operand,
                  const Load& element) const;
  void check_group(const intrin::Instruction& record, const intrin::Operand& operand,
                   const Load& element) const;
  /// The element that an address is of.
  static const Load& element_at(const Expr& address);

  // emit_copies.cc
  static bool is_async_copy(const Call& call);
  Text emit_async_copy(const std::vector<Expr>& arguments);
  Text emit_box_copy(const Call& call);
  Text emit_window_copy(const Call& call);
  /// What both begin with: where copies land, the first element's address, and the array's description. Rows
  /// and columns are the box's.
  std::vector<std::string> arguments_of_unit(const Call& call, bool is_swizzled);
  Text emit_groups(const std::string& of_threads, const std::string& of_unit);
  bool is_kept_in_first_cache(const Var& shared) const;

  // emit_memory.cc
  /// On which multiple of bytes the element is proved to lie.
  std::int64_t proved_alignment(const Buffer& buffer, const Expr& index) const;
  /// Where the element lies.
  Text emit_pointer(const Buffer& buffer, const Text& index) const;
  Text element(const Buffer& buffer, const Text& index) const;
  Text emit_load(const Expr& e, const Load& load, int lane);
  void emit_store(const Store& store);
  /// Of a row that comes from memory as a whole or is 0; nothing is written for other stores, and false said.
  bool emit_guarded_copy(const Store& store);
  void store_element(const Buffer& buffer, const Text& index, const Text& value);
  /// How many lanes of a row move at once: as many as 16 bytes hold and the alignment that is proved allows.
  int lanes_at_once(const Buffer& buffer, const Expr& first, int lanes) const;
  /// Whether an access of what a thread keeps for itself has the variable in its index.
  static bool picks_private_element(const Stmt& s, const Var& var);

  /// What is known of the memory behind a handle.
  struct Memory {
    bool is_bytes = false;  ///< its views have different types
    bool is_written = false;
    DataType type;
  };

  /// How a fragment lies in the registers of a lane.
  struct Fragment {
    std::int64_t tile_bytes = 0;
    int lane_words = 0;
  };

  const lower::Kernel& kernel_;
  const std::unordered_map<Var, std::int64_t>& alignments_;
  Helpers& helpers_;
  std::unordered_map<Var, Memory> memory_;
  std::unordered_map<Var, Fragment> fragments_;
  bool copies_by_threads_ = false;  ///< that go on meanwhile
  const std::unordered_set<Expr> fenced_barriers_;
  const std::unordered_set<Var> live_;  ///< variables that are read

  std::vector<std::string> lines_;
  bool may_ask_later_ = false;       ///< for copies: they are not waited for at once
  std::vector<std::string> asked_;   ///< lines that ask for copies, for behind the next product
  std::vector<Var> sums_under_way_;  ///< of products that nobody has waited for
  int depth_ = 1;
  c::Names names_;
  Ranges ranges_;
  arith::Analyzer facts_;
  lower::Movable movable_;
  std::unordered_map<Expr, int> uses_;  ///< in the statement under way
  /// What is written for shared nodes and for rows, one table for each block that is open in the statement.
  std::vector<std::unordered_map<Expr, std::map<int, Text>>> known_ = {{}};
};

}  // namespace ardea::codegen::cuda
