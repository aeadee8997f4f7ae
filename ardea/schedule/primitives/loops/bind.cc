#include "ardea/schedule/primitives/loops/bind.h"

#include <algorithm>

#include "ardea/arith/filled_alike.h"
#include "ardea/ir/print.h"
#include "ardea/ir/substitute.h"
#include "ardea/ir/thread_axes.h"
#include "ardea/schedule/analysis/concurrency.h"
#include "ardea/schedule/program/plain_loop.h"
#include "ardea/schedule/program/refer.h"
#include "ardea/support/text.h"

namespace ardea::schedule {

namespace {

bool is_thread_loop(const For& loop) {
  return loop.kind == ForKind::thread_binding || loop.kind == ForKind::virtual_thread;
}

/// The loops in s that are bound to the thread.
std::vector<const For*> loops_bound_to(const Stmt& s, const std::string& thread) {
  std::vector<const For*> bound;
  visit_stmts(s, [&](const Stmt& part) {
    const auto* loop = part.as<For>();
    if (loop != nullptr && is_thread_loop(*loop) && loop->thread == thread) bound.push_back(loop);
  });
  return bound;
}

/// Loops of one thread may stand in each other where the inner one fills memory that the threads share, alike
/// in each iteration of the outer one: they do so together.
std::optional<Refusal> refuse_same_thread_in_nest(const Function& f, const FoundLoop& found,
                                                  const std::string& thread) {
  if (thread == "vthread") return std::nullopt;
  const bool may_nest = thread.starts_with("threadIdx.");
  std::vector<const For*> bound;
  for (const For* inner : loops_bound_to(found.loop->body, thread))
    if (!may_nest || !arith::only_fills_alike(inner->body, *found.loop, found.facts)) bound.push_back(inner);
  for (std::size_t i = 0; i < found.path.size(); ++i) {
    const auto* outer = found.path[i].as<For>();
    if (outer == nullptr || outer == found.loop || !is_thread_loop(*outer) || outer->thread != thread)
      continue;
    if (!may_nest || !arith::only_fills_alike(found.loop->body, *outer, found.path.upto(i).facts(f)))
      bound.push_back(outer);
  }
  if (bound.empty()) return std::nullopt;
  return Refusal{"thread_is_taken",
                 fmt::format("loop {} in the same nest is bound to {} already", bound[0]->var.name(), thread),
                 {},
                 [] { return std::string("fuse the two loops, or use another thread"); }};
}

/// Loops of one thread that stand in each other: each of its iterations does one of both.
std::optional<Refusal> refuse_other_extent_in_nest(const FoundLoop& found, const std::string& thread,
                                                   Context& context) {
  if (!thread.starts_with("threadIdx.")) return std::nullopt;
  std::vector<const For*> nested = loops_bound_to(found.loop->body, thread);
  for (const Stmt& around : found.path)
    if (const auto* loop = around.as<For>();
        loop != nullptr && is_thread_loop(*loop) && loop->thread == thread)
      nested.push_back(loop);
  for (const For* other : nested)
    ARDEA_TRY(context.require(
        found.facts, equals(make_cast(int64, other->extent), make_cast(int64, found.loop->extent)), [&] {
          return Refusal{"extents_differ",
                         fmt::format("loop {} of the same nest is bound to {} with extent {}, and loop {} "
                                     "has extent {}",
                                     other->var.name(), thread, print(other->extent), found.loop->var.name(),
                                     print(found.loop->extent))};
        }));
  return std::nullopt;
}

/// A launch is the outermost loop that is bound to a thread. Threads of a block that have nothing to do wait
/// for the others; blocks do not wait for each other.
std::optional<Refusal> refuse_other_extent(const FoundLoop& found, const std::string& thread,
                                           const Function& f, Context& context) {
  const auto launch = std::find_if(found.path.begin(), found.path.end(), [](const Stmt& s) {
    const auto* loop = s.as<For>();
    return loop != nullptr && is_thread_loop(*loop);
  });
  if (!thread.starts_with("blockIdx") || launch == found.path.end()) return std::nullopt;
  const arith::Analyzer facts =
      found.path.upto(static_cast<std::size_t>(launch - found.path.begin())).facts(f);
  for (const For* other : loops_bound_to(*launch, thread))
    ARDEA_TRY(context.require(
        facts, equals(make_cast(int64, other->extent), make_cast(int64, found.loop->extent)), [&] {
          return Refusal{
              "extents_differ",
              fmt::format(
                  "loop {} of the same launch is bound to {} with extent {}, and loop {} has extent {}",
                  other->var.name(), thread, print(other->extent), found.loop->var.name(),
                  print(found.loop->extent))};
        }));
  return std::nullopt;
}

/// A reduction whose iterations the loop would spread over threads.
std::optional<Refusal> refuse_reduction(const For& loop) {
  const std::optional<ReducedBy> reduced = reduced_by(loop);
  if (!reduced) return std::nullopt;
  return with_rfactor(
      Refusal{"reduction_by_threads",
              fmt::format("loop {} runs over the reduction {} of block {}, whose results threads "
                          "cannot combine",
                          loop.var.name(), reduced->iterator.name(), reduced->block->name)},
      loop);
}

}  // namespace

Outcome apply(const Function& f, const Bind& step, Context& context) {
  const FoundLoop found = ARDEA_TRY(refer_to_loop(f, step.loop));
  const std::vector<std::string>& axes = thread_axes();
  if (std::find(axes.begin(), axes.end(), step.thread_axis) == axes.end())
    return Refusal{
        "no_such_thread", fmt::format("there is no thread {}", in_quotes(step.thread_axis)), {}, [=] {
          return "they are " + join(axes, ", ") + did_you_mean(step.thread_axis, axes);
        }};
  if (is_thread_loop(*found.loop) && found.loop->thread == step.thread_axis) return Applied{f};
  ARDEA_TRY(refuse_unless_serial(*found.loop));
  ARDEA_TRY(refuse_same_thread_in_nest(f, found, step.thread_axis));
  ARDEA_TRY(refuse_other_extent_in_nest(found, step.thread_axis, context));
  ARDEA_TRY(refuse_other_extent(found, step.thread_axis, f, context));
  // One thread has nothing to combine with others.
  if (!context.decides(found.facts, found.loop->extent <= make_int(1, found.loop->extent.type())) &&
      !threads_can_combine(found.path, step.thread_axis))
    ARDEA_TRY(refuse_reduction(*found.loop));
  For loop = *found.loop;
  loop.kind = step.thread_axis.starts_with("vthread") ? ForKind::virtual_thread : ForKind::thread_binding;
  loop.thread = step.thread_axis;
  ARDEA_TRY(context.judge(refuse_carried(f, found, loop.kind, loop.thread)));
  return Applied{with(f, found.path, std::move(loop))};
}

}  // namespace ardea::schedule
