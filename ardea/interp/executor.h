#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "ardea/interp/index_overflow.h"
#include "ardea/interp/interpreter.h"
#include "ardea/interp/math.h"
#include "ardea/interp/memory.h"
#include "ardea/interp/observer.h"
#include "ardea/interp/shared_nodes.h"
#include "ardea/interp/slots.h"
#include "ardea/interp/thread_block.h"
#include "ardea/interp/value.h"
#include "ardea/intrin/instruction.h"
#include "ardea/ir/function.h"
#include "ardea/support/random.h"

namespace ardea::interp {

/// What all threads of one run share. Only one thread runs at a time (turns.h), so nothing here is locked.
struct Machine {
  Options options;
  Random random = Random(options.seed);
  Slots<Expr> variables = {};
  Slots<Buffer> buffers = {};
  SharedNodes shared_nodes = {};
  std::uint64_t steps = 0, launches = 0, copies = 0;
};

/// Bytes on their way, by T.async_copy.
struct AsyncCopy {
  std::uint64_t number = 0;
  Allocation *target = nullptr, *source = nullptr;
  std::int64_t target_byte = 0, source_byte = 0, byte_count = 0;
  const Stmt* statement = nullptr;
  bool is_zero = false;  ///< what lands is 0, and there is no source
};

/// Bytes about to be read or written: an element of a buffer, or a part of an allocation.
struct Touch {
  Allocation& memory;
  std::int64_t begin, end;
  const Buffer* buffer = nullptr;
  std::span<const std::int64_t> indices = {};

  std::string name() const;
};

/// One thread of execution: its variables, the buffers in scope, and where it is.
class Executor {
 public:
  Executor(Machine& machine, const Function& f);
  /// A thread of a launch: begins with everything that the launching thread sees.
  Executor(const Executor& launcher, const Grid& grid, ThreadBlock& block, int thread);

  void execute(const Stmt& s);    // execute.cc
  Lanes evaluate(const Expr& e);  // evaluate.cc
  /// The same for a whole expression, in which a node that several others share is evaluated once.
  Lanes evaluate_whole(const Expr& e);
  std::int64_t evaluate_integer(const Expr& e);  ///< a scalar integer or bool

  void define(const Var& var, Lanes value);
  void forget(const Var& var);
  const Lanes* find(const Var& var) const;  ///< nullptr where it has no value here
  void declare(const Buffer& buffer, View view);
  void forget(const Buffer& buffer);

  /// The view that `buffer` describes, over the memory that its data variable points to.
  View view_of(const Buffer& buffer);  // views.cc

  /// To be called when the thread has nothing more to do: what it started must have ended.
  void finish();

  /// Throws an Error: the function, the fact, the statement under way, the loops and the thread.
  [[noreturn]] void report(const std::string& fact) const;

 private:
  // execute.cc
  void execute_store(const Store& store);
  void execute_for(const Stmt& s, const For& loop);
  void execute_block(const Block& block);
  void execute_allocate(const Allocate& allocation);
  /// Gives the iterators their values; whether every reduce iterator is at the start of its domain.
  bool bind_iterators(const Block& block);

  // evaluate.cc
  Lanes evaluate_node(const Expr& e);
  const Lanes& value_of(const Expr& variable) const;
  std::int64_t evaluate_integers(const Binary& node, const Expr& e);
  Lane apply_checked(const Binary& node, const Expr& e, Lane left, Lane right) const;
  Lanes evaluate_binary(const Binary& node, const Expr& e);
  Lanes evaluate_select(const Select& node, DataType type);
  Lanes evaluate_shuffle(const Shuffle& node);

  // index_overflow.cc; e is the whole operation
  void note_let(const Var& var, const Expr& value) {
    if (var.type().element() == int64) lets_.insert_or_assign(var, value);
  }
  void check_overflow(BinaryOp op, DataType type, Lane left, Lane right, const Expr& e) const {
    if (type == int64 && leaves_int64(op, left.integer, right.integer)) report_index_overflow(e);
  }
  /// Stops where e is index arithmetic; int64 data wrap.
  void report_index_overflow(const Expr& e) const;

  // calls.cc
  Lanes evaluate_call(const Expr& e, const Call& call);
  Lanes evaluate_lanes(const Call& call, int count, LaneFunction function);
  Lanes reinterpret(const Expr& value, DataType to);
  Lanes look_up(const Call& call);
  Lanes address_of(const Load& element);
  Lanes call_registered(const Call& call, DataType type);
  void run_instruction(const Call& call);
  void check_strides(const intrin::Instruction& instruction, const std::vector<Lane>& values) const;
  void check_operand(const intrin::Instruction& instruction, std::size_t index, Lane address) const;
  Lanes evaluate_meaning(const Call& call);
  [[noreturn]] void fail_with(const Call& call);
  void barrier(const Call& call);
  Lanes shuffle_down(const Call& call);
  /// What `act` gives; an Error that it throws gets the place under way.
  template <class Act>
  decltype(auto) placed(const Act& act) const;
  const std::string& text_argument(const Call& call, std::size_t index) const;

  // access.cc
  const View& view(const Buffer& buffer) const;
  std::int64_t locate(const Buffer& buffer, const View& view, std::span<const std::int64_t> indices,
                      const char* verb) const;
  Lanes load(const Load& load, DataType type);
  std::vector<Lanes> evaluate_each(const std::vector<Expr>& expressions);
  void store_lane(const Buffer& buffer, std::span<const std::int64_t> indices, const Lanes& value, int first);
  void load_lane(const Buffer& buffer, std::span<const std::int64_t> indices, Lanes& result, int first);
  /// The checks of every access, before it is made.
  void check_read(const Touch& touch);
  void check_write(const Touch& touch);
  void check_race(const Touch& touch, bool writes);
  void tell_observer(const Allocation& memory, std::int64_t begin_bit, std::int64_t end_bit, bool writes);

  // views.cc
  std::vector<std::int64_t> evaluate_all(const std::vector<Expr>& extents);
  /// Declares the matched buffer; gives the variables of its head that got their value from the source.
  std::vector<Var> match(const MatchBuffer& match);
  void bind_or_check(const Expr& e, std::int64_t value, const std::string& what, std::vector<Var>& bound);

  // async.cc
  void start_copy(const Call& call);
  void start_box_copy(const Call& call);
  void start_window_copy(const Call& call);
  /// What a unit copies of an array: rows of the box, each out of one of the array's or of none.
  struct UnitCopy {
    std::int64_t elements = 0, columns = 1;  ///< of the array, and in each of its rows
    std::int64_t box_rows = 1, box_columns = 1, first_column = 0;
    bool is_swizzled = false;
    std::string array;  ///< in words
  };
  using RowOfArray = std::function<std::optional<std::int64_t>(std::int64_t row)>;
  /// `row_of` is asked once for each row of the box, in their order.
  void start_unit_copy(const Call& call, const UnitCopy& copy, const RowOfArray& row_of);
  void begin(const AsyncCopy& copy);
  void commit_copies();
  void wait_for_copies(std::int64_t groups_left);
  void land(const AsyncCopy& copy);
  void check_no_flight(const Allocation& memory) const;

  // launch.cc
  Grid survey(const Stmt& outermost);
  void launch(const Stmt& outermost);
  struct Memory {
    std::shared_ptr<Allocation> allocation;
    Var data;
    std::uint64_t nth;
    std::optional<ThreadBlock::Group> group;  ///< who shares it; nothing: this thread alone
  };
  Memory allocate(const Var& data, const std::string& name, const std::string& scope, DataType type,
                  const std::vector<Expr>& extents);
  void release(const Memory& memory);

  Machine& machine_;
  const Function* function_;
  bool concurrent_;  ///< thread-bound loops of function_ are threads
  std::vector<Lanes> values_;
  std::unordered_map<Var, Expr> lets_;  ///< of int64: whether index arithmetic or data, its value says
  std::vector<View> views_;
  const Stmt* statement_ = nullptr;
  std::vector<std::pair<const Var*, std::int64_t>> loops_;
  int serial_thread_loops_ = 0;
  /// Of the whole expression under way: its shared nodes (none, mostly), and their values so far.
  const SharedNodes::Set* shared_ = nullptr;
  std::unordered_map<Expr, Lanes> shared_values_;
  int instruction_depth_ = 0;

  const Grid* grid_ = nullptr;
  ThreadBlock* block_ = nullptr;  ///< nullptr outside a launch
  int thread_ = 0;
  std::unordered_map<Var, std::uint64_t> executions_;  ///< of each allocation that threads share

  std::vector<AsyncCopy> open_group_;
  std::deque<std::vector<AsyncCopy>> groups_;
};

}  // namespace ardea::interp
