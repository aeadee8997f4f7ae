#include "ardea/cost/counted_program.h"

#include <map>

#include "ardea/cost/arithmetic.h"
#include "ardea/cost/guard_shares.h"
#include "ardea/cost/program_features.h"
#include "ardea/cost/statement_shape.h"
#include "ardea/cost/touched_memory.h"
#include "ardea/intrin/instruction.h"
#include "ardea/ir/equal.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/scope.h"
#include "ardea/ir/traverse.h"
#include "ardea/limits/instruction_windows.h"
#include "ardea/limits/lane_counts.h"
#include "ardea/lower/limits_of.h"

namespace ardea::cost {

namespace {

using Value = Formulas::Value;
using Environment = Formulas::Environment;

/// What the simple model of the machine counts cycles for. Cores differ; that they are of this order is all
/// that a ranking needs (`make bench-cost` tells how good it is), and trees that learn from times correct the
/// rest.
constexpr double bytes_per_cycle_into[cache_levels] = {24, 12, 6};  ///< the caches, from what is behind them
constexpr double cycles_of_iteration = 0.3, cycles_of_entry = 2;
constexpr double cycles_of_allocation = 100, cycles_of_region = 5000;

class ProgramWalk {
 public:
  ProgramWalk(const Function& placed, const limits::Limits& limits, const Environment& inputs,
              const target::Target& target, int threads, Formulas& formulas)
      : f_(formulas),
        target_(target),
        threads_(threads),
        surroundings_(placed, inputs, formulas),
        guards_(surroundings_),
        memory_(limits, target, surroundings_),
        zero_(f_.number(0)),
        one_(f_.number(1)),
        features_(feature_count, zero_),
        count_(one_),
        share_(one_) {
    at(Feature::parallel_tasks) = one_;
    const Part all = visit(placed.body);
    at(Feature::bytes_touched) = memory_.bytes_of(all.accesses);
    count_caches(all);
    count_limits(limits);
    count_cycles();
  }

  const std::vector<Value>& features() const { return features_; }

 private:
  Value& at(Feature feature) { return features_[static_cast<std::size_t>(feature)]; }
  void add(Feature feature, Value value) { at(feature) = f_.add(at(feature), value); }
  Value times(Value a, Value b) { return f_.multiply(a, b); }

  // --- statements ---

  Part visit(const Stmt& s) {
    if (const auto* loop = s.as<For>()) return visit_loop(*loop);
    if (const auto* store = s.as<Store>()) return visit_store(*store);
    if (const auto* condition = s.as<If>()) return visit_if(*condition);
    if (const auto* allocate = s.as<Allocate>()) return visit_allocate(*allocate);
    if (const auto* declare = s.as<DeclareBuffer>()) return visit(declare->body);
    if (const auto* let = s.as<LetStmt>()) {
      surroundings_.define(let->var, surroundings_.value_of(let->value));
      return visit(let->body);
    }
    if (const auto* sequence = s.as<Seq>()) {
      std::vector<Part> parts;
      for (const Stmt& part : sequence->statements) parts.push_back(visit(part));
      return memory_.sequence(std::move(parts));
    }
    if (const Call* call = limits::instruction_call(s)) return visit_instruction(*call);
    return memory_.nothing();
  }

  Part visit_loop(const For& loop) {
    Around around{loop.var, surroundings_.or_zero(surroundings_.value_of(loop.min)),
                  surroundings_.size_of(loop.extent), loop.kind, one_};
    around.extent = f_.max(around.extent, zero_);
    if (loop.kind == ForKind::vectorized)
      around.lanes = f_.number(limits::register_lanes(limits::lane_bits(loop.body, target_), target_));
    const Value runs = f_.more_than_one(around.extent);
    const Value count_before = count_, share_before = share_;
    count_ = times(count_, around.extent);
    const bool is_parallel = loop.kind == ForKind::parallel || loop.kind == ForKind::thread_binding;
    if (is_parallel && parallel_depth_++ == 0) {
      at(Feature::parallel_tasks) = f_.max(at(Feature::parallel_tasks), around.extent);
      add(Feature::parallel_regions, times(runs, count_before));
      const Value threads = f_.number(threads_);
      share_ = times(share_, f_.divide(f_.ceil_div(around.extent, threads), around.extent));
      share_ = f_.select(runs, share_, share_before);
    }
    if (loop.kind != ForKind::vectorized && loop.kind != ForKind::unrolled) {
      add(Feature::loop_iterations, times(runs, count_));
      add(Feature::loop_entries, times(runs, count_before));
      overhead(times(runs, f_.add(times(f_.number(cycles_of_iteration), count_),
                                  times(f_.number(cycles_of_entry), count_before))));
    }
    surroundings_.enter(around);
    Part part = memory_.repeated(visit(loop.body));
    surroundings_.leave();
    if (is_parallel) --parallel_depth_;
    count_ = count_before;
    share_ = share_before;
    return part;
  }

  Part visit_if(const If& condition) {
    const auto* evaluated = condition.then_case.as<Evaluate>();
    const auto* call = evaluated != nullptr ? evaluated->value.as<Call>() : nullptr;
    if (call != nullptr && call->op->name == "fail") return memory_.nothing();  // a check that never fires
    std::vector<Guard> found;
    const Value asked = guards_.share_of(condition.condition, found);
    const Value share = asked == Formulas::unknown ? f_.number(0.5) : asked;
    const Value is_open = times(f_.less(zero_, share), f_.less(share, one_));
    add(Feature::guards, times(is_open, count_));
    std::vector<Part> parts = {visit_under(condition.then_case, share, found)};
    if (condition.else_case.defined())
      parts.push_back(visit_under(condition.else_case, f_.negation(share), {}));
    return memory_.sequence(std::move(parts));
  }
  Part visit_under(const Stmt& s, Value share, const std::vector<Guard>& guards) {
    const Value count_before = count_;
    const std::size_t guards_before = guards_.count();
    guards_.enter(guards);
    count_ = times(count_, share);
    Part part = memory_.under(visit(s), share);
    count_ = count_before;
    guards_.leave(guards_before);
    return part;
  }

  Part visit_allocate(const Allocate& allocate) {
    memory_.allocate(allocate.data);
    if (allocate.scope == "global") {
      add(Feature::allocations, count_);
      overhead(times(f_.number(cycles_of_allocation), count_));
    }
    Part part = visit(allocate.body);
    for (Access& access : part.accesses)
      if (access.buffer->data == allocate.data) access.free_loops = 0;
    return part;
  }

  // --- what is computed ---

  /// Loads and stores that are issued, by kind. Registers are neither.
  Value issue(const Access& access, Value share, const StatementShape& shape) {
    if (!is_cached(access.buffer)) return zero_;
    const Value executions = times(count_, times(share, kept_share(access, surroundings_)));
    const Value step = f_.magnitude(inner_step(access, shape, surroundings_));
    const Value is_vector = f_.more_than_one(shape.elements);
    const Value by_vector = times(f_.divide(executions, shape.elements), shape.vectors);
    const Value once = f_.divide(executions, shape.elements);
    const Value is_broadcast = f_.equal(step, zero_), is_contiguous = f_.equal(step, one_);
    const Value issued =
        f_.select(is_vector, f_.select(is_contiguous, by_vector, f_.select(is_broadcast, once, executions)),
                  executions);
    add(Feature::contiguous_accesses, times(is_contiguous, issued));
    add(Feature::broadcast_accesses, times(is_broadcast, issued));
    add(Feature::strided_accesses, times(f_.negation(f_.max(is_contiguous, is_broadcast)), issued));
    add(Feature::bytes_accessed,
        times(times(count_, share), f_.number(static_cast<double>(access.buffer->type.bytes()))));
    return issued;
  }

  Part visit_store(const Store& store) {
    const StatementShape shape = shape_here(surroundings_);
    const std::function<Value(const Expr&)> share_of_condition = [&](const Expr& e) {
      std::vector<Guard> found;
      return guards_.share_of(e, found);
    };
    const Counted counted = count_arithmetic(store.value, f_, share_of_condition);
    add_arithmetic(counted.arithmetic, count_);

    std::vector<Access> accesses;
    const auto touch = [&](const Access& access) {
      if (is_cached(access.buffer)) accesses.push_back(access);
    };
    const Access target = memory_.access_of(store.buffer, store.indices, {}, one_);
    touch(target);
    const Value stores = issue(target, one_, shape);
    Value loads = zero_;
    bool adds_to_itself = false;
    for (const CountedLoad& load : counted.loads) {
      const Access access =
          memory_.access_of(load.load.buffer, load.load.indices, {}, f_.less(zero_, load.share));
      touch(access);
      loads = f_.add(loads, issue(access, load.share, shape));
      adds_to_itself = adds_to_itself || is_same_place(load.load, store);
    }
    const Value operations = counted.arithmetic.operations(f_);
    const Value chains = adds_to_itself ? chains_of(target, shape, surroundings_) : zero_;
    execute(operations, chains, loads, stores, shape);
    return memory_.once(std::move(accesses));
  }

  static bool is_same_place(const Load& load, const Store& store) {
    if (load.buffer != store.buffer || load.indices.size() != store.indices.size()) return false;
    for (std::size_t d = 0; d < load.indices.size(); ++d)
      if (!structurally_equal(load.indices[d], store.indices[d])) return false;
    return true;
  }

  void add_arithmetic(const Arithmetic& one, Value count) {
    add(Feature::float_fma, times(count, one.fma));
    add(Feature::float_add, times(count, one.add));
    add(Feature::float_mul, times(count, one.mul));
    add(Feature::float_div, times(count, one.div));
    add(Feature::float_special, times(count, one.special));
    add(Feature::float_compare, times(count, one.compare));
    add(Feature::integer, times(count, one.integer));
    add(Feature::casts, times(count, one.casts));
  }

  /// Counts the instructions of a statement, of `operations` an element, and the cycles that they take: what
  /// is computed, what is moved and what waits overlap.
  void execute(Value operations, Value chains, Value loads, Value stores, const StatementShape& shape) {
    const Value vectors = times(f_.divide(count_, shape.elements), shape.vectors);
    add(Feature::statements, times(f_.less(zero_, count_), times(shape.unrolled, shape.vectors)));
    const Value issued = times(vectors, operations);
    add(Feature::vector_operations, issued);
    add(Feature::scalar_operations, f_.select(f_.more_than_one(shape.elements), zero_, issued));
    const target::Core& core = target_.core;
    const Value computing = f_.divide(issued, f_.number(core.multiplications_per_cycle));
    const Value waiting =
        f_.divide(times(f_.select(chains, vectors, zero_), f_.number(core.sum_cycles)), chains);
    const Value moving = f_.add(f_.divide(loads, f_.number(core.loads_per_cycle)), stores);
    add(Feature::waiting_cycles, f_.max(zero_, f_.subtract(waiting, computing)));
    add(Feature::compute_cycles, times(share_, f_.max(f_.max(computing, waiting), moving)));
    remember_main(issued, chains, f_.divide(f_.add(loads, stores), issued), shape);
  }

  /// The features of the statement with the most operations.
  void remember_main(Value operations, Value chains, Value accesses, const StatementShape& shape) {
    const Value is_main = f_.less(at(Feature::main_executions), operations);
    const auto set = [&](Feature feature, Value value) {
      at(feature) = f_.select(is_main, value, at(feature));
    };
    set(Feature::main_lanes, shape.elements);
    set(Feature::main_unrolled, shape.unrolled);
    set(Feature::main_inner_iterations, shape.inner);
    set(Feature::main_chains, chains);
    set(Feature::main_accesses, accesses);
    set(Feature::main_executions, operations);
  }

  Part visit_instruction(const Call& call) {
    const auto* name = call.arguments[0].as<StringImm>();
    if (name == nullptr) return memory_.nothing();
    const intrin::Instruction& instruction = intrin::find_instruction(name->value);
    const StatementShape shape = shape_here(surroundings_);
    add(Feature::tensor_instructions, count_);
    const std::vector<double>& inside = inside_of(instruction);
    for (std::size_t i = 0; i <= static_cast<std::size_t>(Feature::casts); ++i)
      features_[i] = f_.add(features_[i], times(count_, f_.number(inside[i])));

    std::vector<Access> accesses;
    Value moved = zero_, chains = zero_;
    for (std::size_t i = 0; i < instruction.meaning.parameters.size(); ++i) {
      const Parameter& formal = instruction.meaning.parameters[i];
      const auto* address = call.arguments[i + 1].as<Call>();
      const auto* place = address != nullptr && address->op->name == "address_of"
                              ? address->arguments[0].as<Load>()
                              : nullptr;
      if (!formal.buffer.defined() || place == nullptr) continue;
      std::vector<std::int64_t> window;
      for (const Expr& extent : formal.buffer->shape) window.push_back(constant_int(extent).value_or(1));
      const Access access = memory_.access_of(place->buffer, place->indices, window, one_);
      if (is_cached(place->buffer)) {
        accesses.push_back(access);
        moved = f_.add(moved, issue(access, one_, shape));
      } else if (is_written(instruction.meaning, formal.buffer)) {
        chains = chains_of(access, shape, surroundings_);
      }
    }
    const Value cycles =
        f_.number(instruction.cycles > 0 ? instruction.cycles * target_.core.multiplications_per_cycle : 1);
    execute(cycles, chains, moved, zero_, shape);
    return memory_.once(std::move(accesses));
  }

  static bool is_written(const Function& meaning, const Buffer& buffer) {
    bool written = false;
    visit_stmts(meaning.body, [&](const Stmt& s) {
      const auto* store = s.as<Store>();
      written = written || (store != nullptr && store->buffer == buffer);
    });
    return written;
  }

  /// What one call of it computes, by Feature.
  const std::vector<double>& inside_of(const intrin::Instruction& instruction) {
    const auto known = inside_.find(instruction.name);
    if (known != inside_.end()) return known->second;
    Formulas formulas;
    const Function placed = lower::placed(instruction.meaning, target_);
    const limits::Limits none;
    std::vector<double> numbers;
    for (const Value value : counted(placed, none, {}, target_, 1, formulas))
      numbers.push_back(formulas.constant(value).value_or(0));
    return inside_.emplace(instruction.name, std::move(numbers)).first->second;
  }

  void overhead(Value cycles) { add(Feature::overhead_cycles, times(share_, cycles)); }

  // --- the whole ---

  void count_caches(const Part& all) {
    constexpr Feature into[] = {Feature::bytes_into_l1, Feature::bytes_into_l2, Feature::bytes_into_l3};
    constexpr Feature reuse[] = {Feature::reuse_l1, Feature::reuse_l2, Feature::reuse_l3};
    for (std::size_t c = 0; c < cache_levels; ++c) {
      at(into[c]) = all.bytes_into[c];
      at(reuse[c]) = f_.divide(at(Feature::bytes_accessed), all.bytes_into[c]);
    }
  }

  void count_limits(const limits::Limits& limits) {
    for (const auto& [scope, bytes] : limits.live_bytes)
      add(scope == register_scope ? Feature::register_bytes : Feature::allocated_bytes,
          surroundings_.or_zero(surroundings_.value_of(bytes)));
  }

  void count_cycles() {
    constexpr Feature into[] = {Feature::bytes_into_l1, Feature::bytes_into_l2, Feature::bytes_into_l3};
    const Value threads = f_.number(threads_);
    for (std::size_t c = 0; c < cache_levels; ++c) {
      // What fits as a whole is still there from the call before.
      const Value bytes =
          f_.select(f_.less(memory_.cache_bytes(c), at(Feature::bytes_touched)), at(into[c]), zero_);
      add(Feature::memory_cycles, f_.divide(f_.divide(bytes, f_.number(bytes_per_cycle_into[c])), threads));
    }
    if (threads_ > 1)
      add(Feature::overhead_cycles, times(f_.number(cycles_of_region), at(Feature::parallel_regions)));
    at(Feature::cycles) =
        f_.add(at(Feature::compute_cycles), f_.add(at(Feature::memory_cycles), at(Feature::overhead_cycles)));
  }

  Formulas& f_;
  const target::Target& target_;
  int threads_;
  Surroundings surroundings_;
  GuardShares guards_;
  TouchedMemory memory_;
  Value zero_, one_;
  std::vector<Value> features_;
  Value count_;  ///< how often what is visited runs
  Value share_;  ///< of its cycles that the slowest thread takes
  int parallel_depth_ = 0;
  std::map<std::string, std::vector<double>> inside_;
};

}  // namespace

std::vector<Value> counted(const Function& placed, const limits::Limits& limits, const Environment& inputs,
                           const target::Target& target, int threads, Formulas& formulas) {
  return ProgramWalk(placed, limits, inputs, target, threads, formulas).features();
}

}  // namespace ardea::cost
