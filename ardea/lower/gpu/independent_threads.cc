#include "ardea/arith/dependence.h"
#include "ardea/arith/filled_alike.h"
#include "ardea/ir/print.h"
#include "ardea/ir/traverse.h"
#include "ardea/lower/facts.h"
#include "ardea/lower/gpu/launch.h"
#include "ardea/lower/gpu/passes.h"
#include "ardea/support/error.h"

namespace ardea::lower {

namespace {

using arith::Analyzer;

class Proving {
 public:
  Proving(const Function& f, const target::Target& target) : name_(f.name), target_(target) {}

  void visit(const Stmt& s, const Analyzer& facts) {
    const auto* loop = s.as<For>();
    const bool launches = loop != nullptr && is_launch_loop(*loop);
    if (launches) {
      prove(*loop, facts);
      prove_nested(*loop);
      around_.push_back({*loop, facts});
    }
    if (around_.empty()) refuse_host_work(s);
    map_inside(s, facts, [&](const Stmt& part, const Analyzer& known) {
      visit(part, known);
      return part;
    });
    if (launches) around_.pop_back();
  }

 private:
  /// What stands outside of every launch would have to run on the host, which has not got the memory.
  void refuse_host_work(const Stmt& s) const {
    const bool works = s.is<Store>() || (s.is<Evaluate>() && !is_no_op(s));
    require(
        !works,
        "lower {}: `{}` stands in no loop that is bound to threads, and target {} computes nothing outside "
        "of them; bind a loop around it, as by sch.bind(loop, \"blockIdx.x\")",
        name_, first_line(s), target_.name);
  }

  /// A thread of both loops would do one iteration of the inner one, not all of them.
  void prove_nested(const For& loop) const {
    for (const auto& [outer, facts] : around_)
      require(
          outer.thread != loop.thread || is_block_loop(loop) ||
              arith::only_fills_alike(loop.body, outer, facts),
          "lower {}: loop {} is bound to {} inside of another loop that is; put it beside that one, or bind "
          "it to another axis",
          name_, loop.var.name(), loop.thread);
  }

  void prove(const For& loop, const Analyzer& facts) const {
    const std::string& thread = loop.thread;
    require(
        !reads_memory(loop.min) && !reads_memory(loop.extent),
        "lower {}: loop {}, bound to {}, has a length that is read from memory, which must be known before "
        "threads start; bind another loop",
        name_, loop.var.name(), thread);
    const std::vector<arith::LoopRange> range = {{loop.var, Range{loop.min, loop.extent}}};
    for (const arith::Conflict& conflict :
         arith::conflicts(with_accesses_shown(loop.body, facts), range, facts, true))
      require(
          !carries(conflict, 0) ||
              (is_thread_loop(loop) && arith::filled_alike(loop, conflict.first.buffer, facts)),
          "lower {}: iterations of loop {}, bound to {}, may touch the same memory, it is not proved that "
          "they do not: {} and {}; bind another loop, or give each iteration memory of its own",
          name_, loop.var.name(), thread, print(conflict.first), print(conflict.second));
    visit_stmts(loop.body, [&](const Stmt& s) {
      const auto* store = s.as<Store>();
      require(
          store == nullptr || store->buffer->type.is_bool() || store->buffer->type.bits >= 8 ||
              is_private(store->buffer->scope),
          "lower {}: threads of {} would store halves of one byte of {} at the same time; give it a type of "
          "8 bits, or bind no loop around it",
          name_, thread, store == nullptr ? "" : store->buffer->name);
    });
  }

  struct LoopAround {
    For loop;
    Analyzer facts;
  };

  const std::string& name_;
  const target::Target& target_;
  std::vector<LoopAround> around_;  ///< bound to threads or blocks
};

}  // namespace

Function independent_threads(const Function& f, const target::Target& target) {
  require(
      !f.attributes.contains("concurrent_threads"),
      "lower {}: its threads run concurrently already; give target {} the program of blocks, whose threads "
      "it synchronises itself",
      f.name, target.name);
  Proving(f, target).visit(f.body, arith::facts_of(f));
  return f;
}

}  // namespace ardea::lower
