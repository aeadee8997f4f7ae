#include "ardea/cost/counted_program.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "ardea/cost/arithmetic.h"
#include "ardea/cost/program_features.h"
#include "ardea/intrin/instruction.h"
#include "ardea/ir/equal.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/layout.h"
#include "ardea/ir/scope.h"
#include "ardea/ir/substitute.h"
#include "ardea/ir/traverse.h"
#include "ardea/limits/instruction_windows.h"
#include "ardea/limits/lane_counts.h"
#include "ardea/lower/limits_of.h"

namespace ardea::cost {

namespace {

using Value = Formulas::Value;
using Environment = Formulas::Environment;

/// Levels of cache that features have names for.
constexpr std::size_t cache_levels = 3;

/// What the simple model of the machine counts cycles for. Cores differ; that they are of this order is all
/// that a ranking needs (`make bench-cost` tells how good it is), and trees that learn from times correct the
/// rest.
constexpr double bytes_per_cycle_into[cache_levels] = {24, 12, 6};  ///< the caches, from what is behind them
constexpr double cycles_of_iteration = 0.3, cycles_of_entry = 2;
constexpr double cycles_of_allocation = 100, cycles_of_region = 5000;
/// Of a cache, that data of other use leaves to a nest.
constexpr double usable_share = 0.75;

/// A loop around what is being counted.
struct Around {
  Var var;
  Value min = 0, extent = 0;
  ForKind kind = ForKind::serial;
  Value lanes = 0;  ///< of a vectorized one: iterations in one register
};

/// A place that touches memory, and the box that it touches while the loops run that were left so far.
struct Access {
  Buffer buffer;
  std::vector<std::vector<Value>> spans;  ///< by dimension and loop around, outermost first: last − first
  std::vector<Value> steps;               ///< by loop: elements from one iteration to the next
  std::vector<Value> box;                 ///< by dimension
  Value is_there = 0;                     ///< 0 where it never happens
  std::size_t free_loops = 0;             ///< loops around that can still move it
  std::size_t outside = 0;                ///< loops around its memory
};

/// What a part of the program touches, and the bytes that come into each cache for it, each time that it
/// runs.
struct Part {
  std::vector<Access> accesses;
  std::vector<Value> bytes_into;
};

class ProgramWalk {
 public:
  ProgramWalk(const limits::Limits& limits, const Environment& inputs, const target::Target& target,
              int threads, Formulas& formulas)
      : f_(formulas),
        target_(target),
        threads_(threads),
        environment_(inputs),
        zero_(f_.number(0)),
        one_(f_.number(1)),
        features_(feature_count, zero_) {
    for (const limits::Memory& memory : limits.memory) memory_.emplace(memory.data, &memory);
    count_ = share_ = one_;
    at(Feature::parallel_tasks) = one_;
  }

  std::vector<Value> count(const Function& placed, const limits::Limits& limits) {
    collect_sizes(placed);
    for (const Parameter& parameter : placed.parameters)
      if (parameter.buffer.defined()) depth_of_[parameter.buffer->data] = 0;
    const Part all = visit(placed.body);
    at(Feature::bytes_touched) = bytes_of(all.accesses);
    count_caches(all);
    count_limits(limits);
    count_cycles();
    return features_;
  }

 private:
  // --- values ---

  Value& at(Feature feature) { return features_[static_cast<std::size_t>(feature)]; }
  void add(Feature feature, Value value) { at(feature) = f_.add(at(feature), value); }
  Value times(Value a, Value b) { return f_.multiply(a, b); }
  Value more_than_one(Value extent) { return f_.less(one_, extent); }

  /// Sizes that only a call knows.
  void collect_sizes(const Function& placed) {
    for (const Var& var : shape_variables(placed))
      environment_.emplace(var, f_.number(static_cast<double>(typical_size)));
    for (const Parameter& parameter : placed.parameters)
      if (!parameter.buffer.defined())
        environment_.emplace(parameter.var, f_.number(static_cast<double>(typical_size)));
  }

  Value value_of(const Expr& e) { return f_.of(e, environment_); }
  Value value_of(const Expr& e, const Var& var, Value value) {
    Value& place = environment_.at(var);
    const Value before = std::exchange(place, value);
    const Value result = f_.of(e, environment_);
    environment_.at(var) = before;
    return result;
  }
  Value or_zero(Value value) const { return value == Formulas::unknown ? zero_ : value; }

  Value middle_of(const Around& loop) {
    const Value half = f_.apply(Formulas::Op::floor_div, f_.subtract(loop.extent, one_), f_.number(2));
    return f_.add(loop.min, f_.max(half, zero_));
  }

  // --- conditions ---

  /// The values that it takes while the loops around run, where each loop moves it by itself: from the least
  /// to the greatest, as far apart as the loop that moves it least.
  struct Values {
    Value low, high, apart;
  };
  Values values_of(const Expr& e) {
    const Value middle = value_of(e), none = f_.number(1e18);
    Value low = middle, high = middle, apart = none;
    for (const Around& loop : loops_) {
      const Value last = f_.add(loop.min, f_.subtract(loop.extent, one_));
      const Value first_value = value_of(e, loop.var, loop.min), last_value = value_of(e, loop.var, last);
      low = f_.add(low, f_.subtract(f_.min(first_value, last_value), middle));
      high = f_.add(high, f_.subtract(f_.max(first_value, last_value), middle));
      const Value next = value_of(e, loop.var, f_.add(middle_of(loop), one_));
      const Value step = f_.magnitude(f_.subtract(next, middle));
      const Value moves = times(more_than_one(loop.extent), f_.less(zero_, step));
      apart = f_.min(apart, f_.select(moves, step, none));
    }
    return {low, high, f_.select(f_.less(apart, none), apart, one_)};
  }

  /// A comparison that holds for what is visited, how often it does by itself, and what it asks about.
  struct Guard {
    Value share;
    std::vector<Var> loops;
  };

  /// How often a condition on indices holds where the guards around do, as if its sides took their values
  /// equally often: exact where a loop was split, and its parts are asked for the end. Unknown where it reads
  /// memory. What holds with it is added to `found`.
  Value share_of(const Expr& condition, std::vector<Guard>& found) {
    std::vector<Guard> others;  // of what need not hold
    if (const auto* call = condition.as<Call>(); call != nullptr && call->op->name == "likely")
      return share_of(call->arguments[0], found);
    if (const auto* negated = condition.as<Unary>();
        negated != nullptr && negated->op == UnaryOp::logical_not)
      return f_.negation(share_of(negated->operand, others));
    const auto* binary = condition.as<Binary>();
    if (binary == nullptr || binary->left.type().is_float()) return value_of(condition);
    if (binary->op == BinaryOp::logical_and) {
      std::vector<Guard> of_left;
      const Value left = share_of(binary->left, of_left);
      const std::size_t before = guards_.size();
      guards_.insert(guards_.end(), of_left.begin(), of_left.end());
      const Value both = times(left, share_of(binary->right, found));
      guards_.resize(before);
      found.insert(found.end(), of_left.begin(), of_left.end());
      return both;
    }
    if (binary->op == BinaryOp::logical_or)
      return f_.negation(
          times(f_.negation(share_of(binary->left, others)), f_.negation(share_of(binary->right, others))));
    if (!is_comparison(binary->op) || binary->left.type().is_bool()) return value_of(condition);
    const Expr difference = as_index(binary->left) - as_index(binary->right);
    const Value share = share_of(binary->op, values_of(difference));
    if (share == Formulas::unknown || binary->op == BinaryOp::eq || binary->op == BinaryOp::ne) return share;
    Guard guard{share, {}};
    for (const Around& loop : loops_)
      if (uses(difference, loop.var)) guard.loops.push_back(loop.var);
    // Of conditions on the same loops, the one that holds less often implies the others.
    Value around = one_;
    for (const Guard& other : guards_)
      if (std::find_first_of(guard.loops.begin(), guard.loops.end(), other.loops.begin(),
                             other.loops.end()) != guard.loops.end())
        around = f_.min(around, other.share);
    guard.share = f_.min(share, around);
    const Value here = f_.divide(guard.share, around);
    found.push_back(std::move(guard));
    return here;
  }

  /// How many of the values, in relation to 0.
  Value share_of(BinaryOp relation, const Values& values) {
    const auto [low, high, apart] = values;
    const auto steps = [&](Value distance) { return f_.apply(Formulas::Op::floor_div, distance, apart); };
    const Value count = f_.add(steps(f_.subtract(high, low)), one_);
    const auto part = [&](Value some) { return f_.divide(f_.max(zero_, f_.min(some, count)), count); };
    switch (relation) {
      case BinaryOp::lt: return part(f_.ceil_div(f_.subtract(zero_, low), apart));
      case BinaryOp::le: return part(f_.add(steps(f_.subtract(zero_, low)), one_));
      case BinaryOp::gt: return part(f_.ceil_div(high, apart));
      case BinaryOp::ge: return part(f_.add(steps(high), one_));
      default: break;
    }
    const Value lies_between = times(f_.negation(f_.less(zero_, low)), f_.negation(f_.less(high, zero_)));
    const Value is_met = times(lies_between, f_.equal(f_.apply(Formulas::Op::floor_mod, low, apart), zero_));
    const Value equals = f_.divide(is_met, count);
    return relation == BinaryOp::eq ? equals : f_.negation(equals);
  }

  // --- memory ---

  bool is_cached(const Buffer& buffer) const {
    return buffer->scope != register_scope && buffer->scope.find('.') == std::string::npos;
  }

  /// The extents that its memory has in the end: of an allocation what is kept of it.
  std::vector<Value> shape_of(const Buffer& buffer) {
    std::vector<Value> shape;
    const auto memory = memory_.find(buffer->data);
    const std::size_t rank = buffer->shape.size();
    if (memory != memory_.end() && memory->second->shape.size() >= rank) {
      const std::vector<Expr>& kept = memory->second->shape;  // versions stand before
      for (std::size_t d = kept.size() - rank; d < kept.size(); ++d) shape.push_back(size_of(kept[d]));
    } else {
      for (const Expr& extent : buffer->shape) shape.push_back(size_of(extent));
    }
    return shape;
  }
  Value size_of(const Expr& extent) {
    const Value size = value_of(extent);
    return size == Formulas::unknown ? f_.number(static_cast<double>(typical_size)) : size;
  }

  std::vector<Value> strides_of_memory(const Buffer& buffer, const std::vector<Value>& shape) {
    if (!buffer->strides.empty()) {
      std::vector<Value> strides;
      for (const Expr& stride : buffer->strides) strides.push_back(size_of(stride));
      return strides;
    }
    std::vector<Value> strides(shape.size(), one_);
    for (std::size_t d = shape.size(); d-- > 1;) strides[d - 1] = times(strides[d], shape[d]);
    return strides;
  }

  /// `window` elements along each of the last dimensions at once.
  Access access_of(const Buffer& buffer, const std::vector<Expr>& indices,
                   const std::vector<std::int64_t>& window, Value is_there) {
    Access access{buffer, {}, {}, {}, is_there, loops_.size()};
    const std::vector<Value> shape = shape_of(buffer), strides = strides_of_memory(buffer, shape);
    const auto known = depth_of_.find(buffer->data);
    const std::size_t outside = known == depth_of_.end() ? 0 : known->second;
    access.outside = outside;
    access.steps.assign(loops_.size(), zero_);
    for (std::size_t d = 0; d < indices.size(); ++d) {
      std::vector<Value>& spans = access.spans.emplace_back(loops_.size(), zero_);
      const std::size_t from_end = indices.size() - d;
      access.box.push_back(from_end <= window.size()
                               ? f_.number(static_cast<double>(window[window.size() - from_end]))
                               : one_);
      // Loops around its memory move nothing: each of their iterations has memory of its own.
      for (std::size_t l = outside; l < loops_.size(); ++l) {
        const Around& loop = loops_[l];
        const Value middle = middle_of(loop);
        const Value next = value_of(indices[d], loop.var, f_.add(middle, one_));
        access.steps[l] =
            f_.add(access.steps[l],
                   times(strides[d], or_zero(f_.subtract(next, value_of(indices[d], loop.var, middle)))));
        const Value last = f_.add(loop.min, f_.max(zero_, f_.subtract(loop.extent, one_)));
        spans[l] = f_.magnitude(or_zero(
            f_.subtract(value_of(indices[d], loop.var, last), value_of(indices[d], loop.var, loop.min))));
      }
    }
    return access;
  }

  /// Of the boxes together: of one buffer the one that contains them all, as if they began at one place. Rows
  /// that are not whole come in whole lines.
  Value bytes_of(const std::vector<Access>& accesses) {
    std::vector<std::pair<Buffer, std::vector<Value>>> boxes;
    for (const Access& access : accesses) {
      const auto same = [&](const auto& one) {
        return one.first->data == access.buffer->data && one.second.size() == access.box.size();
      };
      auto found = std::find_if(boxes.begin(), boxes.end(), same);
      if (found == boxes.end())
        found = boxes.insert(boxes.end(), {access.buffer, std::vector<Value>(access.box.size(), zero_)});
      for (std::size_t d = 0; d < access.box.size(); ++d)
        found->second[d] = f_.max(found->second[d], times(access.box[d], access.is_there));
    }
    Value sum = zero_;
    for (const auto& [buffer, box] : boxes) sum = f_.add(sum, bytes_of_box(buffer, box));
    return sum;
  }
  Value bytes_of_box(const Buffer& buffer, const std::vector<Value>& box) {
    const std::vector<Value> shape = shape_of(buffer);
    const Value element = f_.number(static_cast<double>(buffer->type.bytes()));
    if (box.empty()) return element;
    Value whole = element, bytes = element;
    for (std::size_t d = 0; d < box.size(); ++d) {
      whole = times(whole, shape[d]);
      if (d + 1 < box.size()) bytes = times(bytes, f_.min(box[d], shape[d]));
    }
    const Value row = f_.min(box.back(), shape.back());
    const double line_bytes = target_.caches.empty() ? 64 : target_.caches.front().line_bytes;
    const Value line = f_.number(line_bytes / static_cast<double>(buffer->type.bytes()));
    const Value lines = times(f_.ceil_div(row, line), line);
    bytes = times(bytes, f_.select(f_.less(row, shape.back()), lines, row));
    return f_.min(bytes, whole);
  }

  Value cache_bytes(std::size_t level) {
    if (level >= target_.caches.size()) return f_.number(1e18);
    return f_.number(usable_share * static_cast<double>(target_.caches[level].bytes));
  }

  Part nothing() { return {{}, std::vector<Value>(cache_levels, zero_)}; }

  /// Parts one after another: what fits into a cache is there for the next one.
  Part sequence(std::vector<Part> parts) {
    if (parts.size() == 1) return std::move(parts.front());
    Part all = nothing();
    for (Part& part : parts) {
      for (std::size_t c = 0; c < cache_levels; ++c)
        all.bytes_into[c] = f_.add(all.bytes_into[c], part.bytes_into[c]);
      std::move(part.accesses.begin(), part.accesses.end(), std::back_inserter(all.accesses));
    }
    const Value bytes = bytes_of(all.accesses);
    for (std::size_t c = 0; c < cache_levels; ++c)
      all.bytes_into[c] = f_.select(f_.less(cache_bytes(c), bytes), all.bytes_into[c], bytes);
    return all;
  }

  // --- statements ---

  Part visit(const Stmt& s) {
    if (const auto* loop = s.as<For>()) return visit_loop(*loop);
    if (const auto* store = s.as<Store>()) return visit_store(*store);
    if (const auto* condition = s.as<If>()) return visit_if(*condition);
    if (const auto* allocate = s.as<Allocate>()) return visit_allocate(*allocate);
    if (const auto* declare = s.as<DeclareBuffer>()) return visit(declare->body);
    if (const auto* let = s.as<LetStmt>()) {
      environment_[let->var] = value_of(let->value);
      return visit(let->body);
    }
    if (const auto* sequence_of = s.as<Seq>()) {
      std::vector<Part> parts;
      for (const Stmt& part : sequence_of->statements) parts.push_back(visit(part));
      return sequence(std::move(parts));
    }
    if (const Call* call = limits::instruction_call(s)) return visit_instruction(*call);
    return nothing();
  }

  Part visit_loop(const For& loop) {
    Around around{loop.var, or_zero(value_of(loop.min)), size_of(loop.extent), loop.kind, one_};
    around.extent = f_.max(around.extent, zero_);
    if (loop.kind == ForKind::vectorized)
      around.lanes = f_.number(limits::register_lanes(limits::widest_bits(loop.body), target_));
    const Value runs = more_than_one(around.extent);
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
    environment_[loop.var] = middle_of(around);
    loops_.push_back(around);
    Part part = visit(loop.body);
    const Value inner_bytes = bytes_of(part.accesses);
    const std::size_t depth = loops_.size() - 1;
    for (Access& access : part.accesses) {
      access.is_there = times(access.is_there, f_.less(zero_, around.extent));
      if (access.free_loops <= depth) continue;
      for (std::size_t d = 0; d < access.box.size(); ++d)
        access.box[d] = f_.add(access.box[d], access.spans[d][depth]);
    }
    const Value bytes = bytes_of(part.accesses);
    for (std::size_t c = 0; c < cache_levels; ++c)
      part.bytes_into[c] =
          f_.select(f_.less(cache_bytes(c), inner_bytes), times(around.extent, part.bytes_into[c]), bytes);
    loops_.pop_back();
    environment_.erase(loop.var);
    if (is_parallel) --parallel_depth_;
    count_ = count_before;
    share_ = share_before;
    return part;
  }

  Part visit_if(const If& condition) {
    const auto* evaluated = condition.then_case.as<Evaluate>();
    const auto* call = evaluated != nullptr ? evaluated->value.as<Call>() : nullptr;
    if (call != nullptr && call->op->name == "fail") return nothing();  // a check that never fires
    std::vector<Guard> found;
    const Value asked = share_of(condition.condition, found);
    const Value share = asked == Formulas::unknown ? f_.number(0.5) : asked;
    const Value is_open = times(f_.less(zero_, share), f_.less(share, one_));
    add(Feature::guards, times(is_open, count_));
    std::vector<Part> parts = {visit_under(condition.then_case, share, found)};
    if (condition.else_case.defined())
      parts.push_back(visit_under(condition.else_case, f_.negation(share), {}));
    return sequence(std::move(parts));
  }
  Part visit_under(const Stmt& s, Value share, const std::vector<Guard>& guards) {
    const Value count_before = count_;
    const std::size_t guards_before = guards_.size();
    guards_.insert(guards_.end(), guards.begin(), guards.end());
    count_ = times(count_, share);
    Part part = visit(s);
    count_ = count_before;
    guards_.resize(guards_before);
    for (Access& access : part.accesses) access.is_there = times(access.is_there, f_.less(zero_, share));
    for (Value& bytes : part.bytes_into) bytes = times(bytes, share);
    return part;
  }

  Part visit_allocate(const Allocate& allocate) {
    depth_of_[allocate.data] = loops_.size();
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

  /// How a statement runs: its loops' kinds, from the inside outwards.
  struct Shape {
    Value elements;  ///< of one vector statement: the extent of the vectorized loops
    Value vectors;   ///< registers that those fill
    Value unrolled;
    Value inner;  ///< iterations of the innermost loop that runs, neither vectorized nor unrolled
  };
  Shape shape_here() {
    Shape shape{one_, one_, one_, one_};
    Value open = one_;  // no loop that runs was met yet
    for (auto loop = loops_.rbegin(); loop != loops_.rend(); ++loop) {
      if (loop->kind == ForKind::vectorized) {
        shape.elements = times(shape.elements, loop->extent);
        shape.vectors = times(shape.vectors, f_.ceil_div(loop->extent, loop->lanes));
      } else if (loop->kind == ForKind::unrolled) {
        shape.unrolled = times(shape.unrolled, f_.select(open, loop->extent, one_));
      } else {
        const Value runs = more_than_one(loop->extent);
        shape.inner = f_.select(times(open, runs), loop->extent, shape.inner);
        open = times(open, f_.negation(runs));
      }
    }
    return shape;
  }

  /// Elements from one iteration of the innermost loop that runs to its next; vectorized ones count first.
  Value inner_step(const Access& access, const Shape& shape) {
    Value step = zero_, vector_step = zero_;
    Value is_found = zero_, is_vector_found = zero_;
    for (std::size_t l = loops_.size(); l-- > 0;) {
      const Value runs = more_than_one(loops_[l].extent);
      if (loops_[l].kind == ForKind::vectorized) {
        vector_step = f_.select(is_vector_found, vector_step, times(runs, access.steps[l]));
        is_vector_found = f_.max(is_vector_found, runs);
      }
      step = f_.select(is_found, step, times(runs, access.steps[l]));
      is_found = f_.max(is_found, runs);
    }
    return f_.select(more_than_one(shape.elements), vector_step, step);
  }

  /// The share of the executions that touch memory: what does not move with an unrolled loop is loaded once
  /// for all of its iterations, and what does not move with the innermost loop is kept while that runs.
  Value kept_share(const Access& access) {
    Value share = one_, open = one_;
    for (std::size_t l = loops_.size(); l-- > 0;) {
      const Around& loop = loops_[l];
      if (loop.kind == ForKind::vectorized) continue;
      const Value stays = l < access.outside ? zero_ : times(open, f_.equal(access.steps[l], zero_));
      share = f_.select(stays, f_.divide(share, loop.extent), share);
      if (loop.kind != ForKind::unrolled) open = times(open, f_.negation(more_than_one(loop.extent)));
    }
    return share;
  }

  /// Sums that a loop adds to without waiting; 0 where no execution waits for the one before.
  Value chains_of(const Access& sum, const Shape& shape) {
    Value chains = shape.vectors, open = one_, waits = zero_;
    for (std::size_t l = loops_.size(); l-- > 0;) {
      const Around& loop = loops_[l];
      if (loop.kind == ForKind::vectorized) continue;
      const Value runs = times(open, more_than_one(loop.extent));
      const Value moves = l < sum.outside ? one_ : f_.negation(f_.equal(sum.steps[l], zero_));
      if (loop.kind == ForKind::unrolled) {
        chains = f_.select(times(runs, moves), times(chains, loop.extent), chains);
      } else {
        waits = f_.select(runs, f_.negation(moves), waits);
        open = times(open, f_.negation(runs));
      }
    }
    return times(chains, waits);
  }

  /// Loads and stores that are issued, by kind. Registers are neither.
  Value issue(const Access& access, Value share, const Shape& shape) {
    if (!is_cached(access.buffer)) return zero_;
    const Value executions = times(count_, times(share, kept_share(access)));
    const Value step = f_.magnitude(inner_step(access, shape));
    const Value is_vector = more_than_one(shape.elements);
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
    const Shape shape = shape_here();
    const std::function<Value(const Expr&)> share_of_condition = [&](const Expr& e) {
      std::vector<Guard> found;
      return share_of(e, found);
    };
    const Counted counted = count_arithmetic(store.value, f_, share_of_condition);
    add_arithmetic(counted.arithmetic, count_);

    Part part = nothing();
    const auto touch = [&](const Access& access) {
      if (is_cached(access.buffer)) part.accesses.push_back(access);
    };
    const Access target = access_of(store.buffer, store.indices, {}, one_);
    touch(target);
    const Value stores = issue(target, one_, shape);
    Value loads = zero_;
    bool adds_to_itself = false;
    for (const CountedLoad& load : counted.loads) {
      const Access access = access_of(load.load.buffer, load.load.indices, {}, f_.less(zero_, load.share));
      touch(access);
      loads = f_.add(loads, issue(access, load.share, shape));
      adds_to_itself = adds_to_itself || is_same_place(load.load, store);
    }
    const Value operations = counted.arithmetic.operations(f_);
    const Value chains = adds_to_itself ? chains_of(target, shape) : zero_;
    execute(operations, chains, loads, stores, shape);
    finish(part);
    return part;
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
  void execute(Value operations, Value chains, Value loads, Value stores, const Shape& shape) {
    const Value vectors = times(f_.divide(count_, shape.elements), shape.vectors);
    add(Feature::statements, times(f_.less(zero_, count_), times(shape.unrolled, shape.vectors)));
    const Value issued = times(vectors, operations);
    add(Feature::vector_operations, issued);
    add(Feature::scalar_operations, f_.select(more_than_one(shape.elements), zero_, issued));
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
  void remember_main(Value operations, Value chains, Value accesses, const Shape& shape) {
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
    if (name == nullptr) return nothing();
    const intrin::Instruction& instruction = intrin::find_instruction(name->value);
    const Shape shape = shape_here();
    add(Feature::tensor_instructions, count_);
    const std::vector<double>& inside = inside_of(instruction);
    for (std::size_t i = 0; i <= static_cast<std::size_t>(Feature::casts); ++i)
      features_[i] = f_.add(features_[i], times(count_, f_.number(inside[i])));

    Part part = nothing();
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
      const Access access = access_of(place->buffer, place->indices, window, one_);
      if (is_cached(place->buffer)) {
        part.accesses.push_back(access);
        moved = f_.add(moved, issue(access, one_, shape));
      } else if (is_written(instruction.meaning, formal.buffer)) {
        chains = chains_of(access, shape);
      }
    }
    const Value cycles =
        f_.number(instruction.cycles > 0 ? instruction.cycles * target_.core.multiplications_per_cycle : 1);
    execute(cycles, chains, moved, zero_, shape);
    finish(part);
    return part;
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
    for (const Value value : ProgramWalk(none, {}, target_, 1, formulas).count(placed, none))
      numbers.push_back(formulas.constant(value).value_or(0));
    return inside_.emplace(instruction.name, std::move(numbers)).first->second;
  }

  void overhead(Value cycles) { add(Feature::overhead_cycles, times(share_, cycles)); }

  /// What a single execution brings into the caches.
  void finish(Part& part) {
    const Value bytes = bytes_of(part.accesses);
    for (std::size_t c = 0; c < cache_levels; ++c) part.bytes_into[c] = bytes;
  }

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
          or_zero(value_of(bytes)));
  }

  void count_cycles() {
    constexpr Feature into[] = {Feature::bytes_into_l1, Feature::bytes_into_l2, Feature::bytes_into_l3};
    const Value threads = f_.number(threads_);
    for (std::size_t c = 0; c < cache_levels; ++c) {
      // What fits as a whole is still there from the call before.
      const Value bytes = f_.select(f_.less(cache_bytes(c), at(Feature::bytes_touched)), at(into[c]), zero_);
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
  Environment environment_;  ///< parameters, and each loop around in its middle
  Value zero_, one_;
  std::vector<Value> features_;
  std::unordered_map<Var, const limits::Memory*> memory_;
  std::unordered_map<Var, std::size_t> depth_of_;  ///< loops around the memory
  std::vector<Around> loops_;
  std::vector<Guard> guards_;
  Value count_ = 0;  ///< how often what is visited runs
  Value share_ = 0;  ///< of its cycles that the slowest thread takes
  int parallel_depth_ = 0;
  std::map<std::string, std::vector<double>> inside_;
};

}  // namespace

std::vector<Value> counted(const Function& placed, const limits::Limits& limits, const Environment& inputs,
                           const target::Target& target, int threads, Formulas& formulas) {
  return ProgramWalk(limits, inputs, target, threads, formulas).count(placed, limits);
}

}  // namespace ardea::cost
