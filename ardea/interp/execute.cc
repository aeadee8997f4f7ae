#include "ardea/interp/arithmetic.h"
#include "ardea/interp/executor.h"
#include "ardea/support/error.h"
#include "ardea/support/overloaded.h"

/// Statements, but for stores (access.cc) and concurrent thread loops (launch.cc).

namespace ardea::interp {

void Executor::execute(const Stmt& s) {
  const Stmt* outer = std::exchange(statement_, &s);
  if (++machine_.steps > machine_.options.step_limit && machine_.options.step_limit != 0)
    report(fmt::format(
        "more than {} statements were executed; raise the limit where the program is meant to be that long",
        machine_.options.step_limit));
  std::visit(overloaded{
                 [&](const Store& x) { execute_store(x); },
                 [&](const For& x) { execute_for(s, x); },
                 [&](const If& x) {
                   if (evaluate_integer(x.condition) != 0)
                     execute(x.then_case);
                   else if (x.else_case.defined())
                     execute(x.else_case);
                 },
                 [&](const Seq& x) {
                   for (const Stmt& part : x.statements) execute(part);
                 },
                 [&](const Allocate& x) { execute_allocate(x); },
                 [&](const DeclareBuffer& x) {
                   declare(x.buffer, view_of(x.buffer));
                   execute(x.body);
                   forget(x.buffer);
                 },
                 [&](const LetStmt& x) {
                   define(x.var, evaluate_whole(x.value));
                   note_let(x.var, x.value);
                   execute(x.body);
                   forget(x.var);
                 },
                 [&](const Assert& x) {
                   if (evaluate_integer(x.condition) == 0)
                     report(fmt::format("the assertion failed: {}", x.message));
                 },
                 [&](const Evaluate& x) { evaluate(x.value); },
                 [&](const Block& x) { execute_block(x); },
             },
             s.variant());
  statement_ = outer;
}

void Executor::execute_for(const Stmt& s, const For& loop) {
  const bool threads = loop.kind == ForKind::thread_binding &&
                       (Grid::is_thread_tag(loop.thread) || Grid::is_block_tag(loop.thread));
  if (threads && concurrent_ && block_ == nullptr) return launch(s);
  const std::int64_t min = evaluate_integer(loop.min), extent = evaluate_integer(loop.extent);
  if (threads && concurrent_) {
    define(loop.var, integer_lane(min + grid_->index(loop.thread, block_->number(), thread_)));
    execute(loop.body);
    return forget(loop.var);
  }
  std::int64_t last = 0;
  if (extent > 0 && (__builtin_add_overflow(min, extent - 1, &last) ||
                     wrap(static_cast<std::uint64_t>(last), loop.var.type()) != last))
    report(fmt::format("the loop {} runs from {} over {} values, beyond its type", loop.var.name(), min,
                       extent));
  serial_thread_loops_ += threads;
  loops_.emplace_back(&loop.var, min);
  for (std::int64_t i = 0; i < extent; ++i) {
    loops_.back().second = min + i;
    if (Observer* observer = machine_.options.observer) observer->begins(loop, min + i);
    define(loop.var, integer_lane(min + i));
    execute(loop.body);
  }
  if (extent > 0) {
    forget(loop.var);
    if (Observer* observer = machine_.options.observer) observer->ends(loop);
  }
  loops_.pop_back();
  serial_thread_loops_ -= threads;
}

void Executor::execute_allocate(const Allocate& allocation) {
  const Memory memory = allocate(allocation.data, allocation.data.name(), allocation.scope, allocation.type,
                                 allocation.extents);
  define(allocation.data, address_lane(memory.allocation.get(), 0));
  execute(allocation.body);
  forget(allocation.data);
  release(memory);
}

bool Executor::bind_iterators(const Block& block) {
  bool reduction_starts = true;
  std::vector<std::int64_t> values;  // all before the first is set: bindings are over the loops around
  for (const BlockIterator& iterator : block.iterators) {
    const std::int64_t value = evaluate_integer(iterator.binding);
    const std::int64_t min = evaluate_integer(iterator.domain.min),
                       extent = evaluate_integer(iterator.domain.extent);
    if (value < min || value - min >= extent)
      report(fmt::format("block {} binds {} to {}, outside its domain [{}, {})", block.name,
                         iterator.var.name(), value, min, min + extent));
    if (iterator.kind == IteratorKind::reduce && value != min) reduction_starts = false;
    values.push_back(value);
  }
  for (std::size_t i = 0; i < values.size(); ++i) define(block.iterators[i].var, integer_lane(values[i]));
  return reduction_starts;
}

void Executor::execute_block(const Block& block) {
  if (block.predicate.defined() && evaluate_integer(block.predicate) == 0) return;
  const bool reduction_starts = bind_iterators(block);
  std::vector<Memory> memories;
  for (const Buffer& buffer : block.allocations) {
    memories.push_back(allocate(buffer->data, buffer->name, buffer->scope, buffer->type, buffer->shape));
    define(buffer->data, address_lane(memories.back().allocation.get(), 0));
    declare(buffer, view_of(buffer));
  }
  std::vector<Var> bound;
  for (const MatchBuffer& one : block.matches)
    for (const Var& var : match(one)) bound.push_back(var);

  if (block.init.defined() && reduction_starts) execute(block.init);
  execute(block.body);

  for (const Var& var : bound) forget(var);
  for (const MatchBuffer& one : block.matches) forget(one.buffer);
  for (const Buffer& buffer : block.allocations) forget(buffer), forget(buffer->data);
  for (const Memory& memory : memories) release(memory);
  for (const BlockIterator& iterator : block.iterators) forget(iterator.var);
}

}  // namespace ardea::interp
