#include <algorithm>
#include <optional>

#include "ardea/arith/dependence.h"
#include "ardea/arith/regions_conditions.h"
#include "ardea/ir/in_loops.h"
#include "ardea/ir/layout.h"
#include "ardea/ir/neutral_element.h"
#include "ardea/ir/substitute.h"
#include "ardea/ir/traverse.h"
#include "ardea/lower/gpu/launch.h"
#include "ardea/lower/gpu/passes.h"
#include "ardea/lower/gpu/thread_reductions.h"
#include "ardea/support/error.h"

namespace ardea::lower {

namespace {

/// A block that reduces over loops of threads, in the loops from the outermost that it reduces over on.
struct ThreadReduction {
  const Block* block = nullptr;
  std::vector<For> threads;          ///< over which it reduces, threadIdx.x last
  std::vector<For> rounds;           ///< over which each thread reduces
  std::vector<For> spatial_threads;  ///< over whose threads results are spread
  std::vector<For> spatial;
};

bool feeds(const For& loop, const Block& block, bool reduce) {
  return std::any_of(block.iterators.begin(), block.iterators.end(), [&](const BlockIterator& iterator) {
    return (iterator.kind == IteratorKind::reduce) == reduce && uses(iterator.binding, loop.var);
  });
}

/// The update as a reduction whose parts can be combined: x = x op term, or term op x.
struct Update {
  BinaryOp op;
  bool term_first = false;
  Expr term;

  Expr with(const Expr& value, const Expr& by) const {
    return term_first ? make_binary(op, by, value) : make_binary(op, value, by);
  }
};

std::optional<Update> update_of(const Block& block) {
  const auto* store = block.body.as<Store>();
  if (store == nullptr || !arith::is_commutative_update(block, store->buffer)) return std::nullopt;
  const auto* sum = store->value.as<Binary>();
  const auto reads_result = [&](const Expr& e) {
    const auto* load = e.as<Load>();
    return load != nullptr && load->buffer == store->buffer;
  };
  const bool term_first = !reads_result(sum->left);
  return Update{sum->op, term_first, term_first ? sum->left : sum->right};
}

class Spreading {
 public:
  explicit Spreading(const std::string& name) : name_(name) {}

  Stmt visit(const Stmt& s) {
    if (const auto* block = s.as<Block>()) {
      std::vector<Buffer> outer;
      std::swap(outer, made_);
      Block out = *block;
      if (out.body.defined()) out.body = visit(out.body);
      const bool is_same = made_.empty() && out.body == block->body;
      out.allocations.insert(out.allocations.end(), made_.begin(), made_.end());
      std::swap(outer, made_);
      return is_same ? s : Stmt(out);
    }
    const auto* loop = s.as<For>();
    if (loop == nullptr)
      return map_children(
          s, Mapper{.stmt = [&](const Stmt& part) { return part.defined() ? visit(part) : part; }});
    if (const auto reduction = reduction_from(*loop)) return spread(*reduction);
    const bool is_thread = is_thread_loop(*loop);
    if (is_thread) threads_around_.push_back(*loop);
    For out = *loop;
    out.body = visit(loop->body);
    if (is_thread) threads_around_.pop_back();
    return out.body == loop->body ? s : Stmt(out);
  }

 private:
  /// The reduction by threads that begins with this loop and stands alone in it.
  static std::optional<ThreadReduction> reduction_from(const For& outermost) {
    std::vector<For> loops = {outermost};
    Stmt inside = outermost.body;
    while (const auto* loop = inside.as<For>()) {
      loops.push_back(*loop);
      inside = Stmt(loop->body);
    }
    ThreadReduction found;
    found.block = inside.as<Block>();
    if (found.block == nullptr || !feeds(outermost, *found.block, true) || !update_of(*found.block))
      return std::nullopt;
    for (const For& loop : loops) {
      const bool reduces = feeds(loop, *found.block, true);
      if (reduces && feeds(loop, *found.block, false)) return std::nullopt;
      const bool is_dependent = std::any_of(loops.begin(), loops.end(), [&](const For& other) {
        return uses(loop.min, other.var) || uses(loop.extent, other.var);
      });
      if (is_dependent) return std::nullopt;
      const bool is_thread = is_thread_loop(loop) && !is_one(loop.extent);
      (reduces     ? is_thread ? found.threads : found.rounds
       : is_thread ? found.spatial_threads
                   : found.spatial)
          .push_back(loop);
    }
    if (found.threads.empty()) return std::nullopt;
    std::sort(found.threads.begin(), found.threads.end(),
              [](const For& a, const For& b) { return a.thread > b.thread; });
    return found;
  }

  std::int64_t count_of(const For& loop) const {
    const auto count = constant_int(loop.extent);
    require(count.has_value(),
            "lower {}: loop {} of a reduction by threads has no number of iterations; split it by a number",
            name_, loop.var.name());
    return *count;
  }

  static For with_new_variable(const For& loop, Substitution& names) {
    For out = loop;
    out.var = Var(loop.var.name(), loop.var.type());
    names[loop.var] = out.var;
    return out;
  }

  static Stmt where(const std::vector<Expr>& conditions, Stmt s) {
    for (const Expr& condition : conditions) s = make_if(condition, std::move(s));
    return s;
  }

  Stmt spread(const ThreadReduction& reduction) {
    const Block& block = *reduction.block;
    Substitution bindings;
    for (const BlockIterator& iterator : block.iterators)
      bindings[iterator.var] = make_cast(iterator.var.type(), iterator.binding);
    const Store& update_store = *block.body.as<Store>();
    const Update update = *update_of(block);
    const DataType type = update_store.buffer->type;
    const Expr zero = make_int(0);

    // Where each thread's part lies: by the threads and loops around it that have one of their own, and by
    // its number among those that reduce together.
    std::vector<Expr> shape, place;
    for (const std::vector<For>* loops :
         {&std::as_const(threads_around_), &reduction.spatial_threads, &reduction.spatial})
      for (const For& loop : *loops) {
        shape.push_back(make_int(count_of(loop)));
        place.push_back(arith::Analyzer().simplify(as_index(loop.var) - as_index(loop.min)));
      }
    std::int64_t count = 1;
    Expr number = zero;
    std::vector<std::string> axes;
    for (const For& loop : reduction.threads) {
      number = number * make_int(count_of(loop)) + (as_index(loop.var) - as_index(loop.min));
      count *= count_of(loop);
      axes.push_back(loop.thread);
    }
    number = arith::Analyzer().simplify(number);
    shape.push_back(make_int(count));
    const std::string& name = update_store.buffer->name;
    const Buffer part = make_buffer(name + "_part", std::vector<Expr>{make_int(1)}, type, "local");
    const Buffer parts = make_buffer(name + "_parts", shape, type, "shared");
    made_.push_back(part);
    made_.push_back(parts);

    std::vector<Expr> all_conditions, conditions_of_result;
    for (const Expr& condition : arith::conjuncts(block.predicate)) {
      all_conditions.push_back(condition);
      bool reduces = false;
      for (const auto* loops : {&reduction.threads, &reduction.rounds})
        for (const For& loop : *loops) reduces = reduces || uses(condition, loop.var);
      if (!reduces) conditions_of_result.push_back(condition);
    }

    std::vector<Expr> own_place = place;
    own_place.push_back(number);
    std::vector<For> rounds = reduction.rounds;
    const Stmt of_thread = make_seq(
        {make_store(part, {zero}, neutral_element(update.op, type)),
         in_loops(rounds, where(all_conditions, make_store(part, {zero},
                                                           update.with(make_load(part, {zero}),
                                                                       substitute(update.term, bindings))))),
         make_store(parts, own_place, make_load(part, {zero}))});
    std::vector<For> own_loops = reduction.threads;
    own_loops.insert(own_loops.end(), reduction.spatial.begin(), reduction.spatial.end());
    const Stmt by_threads = in_loops(own_loops, of_thread);

    Substitution names;
    std::vector<For> result_loops;
    for (const For& loop : reduction.spatial) result_loops.push_back(with_new_variable(loop, names));
    const Var each("t");
    std::vector<Expr> indices, part_place = place;
    part_place.push_back(each);
    for (const Expr& index : update_store.indices) indices.push_back(substitute(index, bindings));
    const Stmt combining = combining_loop(
        {each, zero, make_int(count), ForKind::serial,
         where(conditions_of_result, make_store(update_store.buffer, indices,
                                                update.with(make_load(update_store.buffer, indices),
                                                            make_load(parts, part_place))))},
        axes);
    std::vector<Stmt> result;
    if (block.init.defined()) result.push_back(where(conditions_of_result, substitute(block.init, bindings)));
    result.push_back(combining);
    const Stmt of_result = in_loops(result_loops, substitute(make_seq(std::move(result)), names));
    return in_loops(reduction.spatial_threads, make_seq({by_threads, of_result}));
  }

  const std::string& name_;
  std::vector<For> threads_around_;
  std::vector<Buffer> made_;  ///< for the block under way
};

}  // namespace

Function spread_reductions(const Function& f, const target::Target&) {
  Function out = f;
  out.body = Spreading(f.name).visit(f.body);
  return out;
}

}  // namespace ardea::lower
