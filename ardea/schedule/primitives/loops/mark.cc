#include "ardea/schedule/primitives/loops/mark.h"

#include "ardea/ir/intrinsics.h"
#include "ardea/ir/print.h"
#include "ardea/ir/traverse.h"
#include "ardea/schedule/analysis/concurrency.h"
#include "ardea/schedule/program/plain_loop.h"
#include "ardea/schedule/program/refer.h"

namespace ardea::schedule {

namespace {

Outcome marked(const Function& f, const FoundLoop& found, ForKind kind) {
  For loop = *found.loop;
  loop.kind = kind;
  return Applied{with(f, found.path, loop)};
}

/// For loops whose iterations run at the same time.
Outcome concurrent(const Function& f, const LoopRef& loop, ForKind kind, Context& context) {
  const FoundLoop found = ARDEA_TRY(refer_to_loop(f, loop));
  if (found.loop->kind == kind) return Applied{f};
  ARDEA_TRY(refuse_unless_serial(*found.loop));
  ARDEA_TRY(context.judge(with_rfactor(refuse_carried(f, found, kind), *found.loop)));
  return marked(f, found, kind);
}

/// The lanes of a tensor instruction are its own: it has none to spare for a loop around.
std::optional<Refusal> refuse_instructions(const For& loop) {
  std::optional<Refusal> refusal;
  visit_exprs(loop.body, [&](const Expr& e) {
    const auto* call = e.as<Call>();
    if (call != nullptr && call->op->name == "tensor_instruction")
      refusal =
          Refusal{"holds_instruction", fmt::format("loop {} holds the tensor instruction {}, which works on "
                                                   "vectors itself",
                                                   loop.var.name(), print(call->arguments.at(0)))};
  });
  return refusal;
}

}  // namespace

Outcome apply(const Function& f, const Parallel& step, Context& context) {
  return concurrent(f, step.loop, ForKind::parallel, context);
}

Outcome apply(const Function& f, const Vectorize& step, Context& context) {
  if (const auto path = path_to(f, step.loop)) ARDEA_TRY(refuse_instructions(path->loop()));
  return concurrent(f, step.loop, ForKind::vectorized, context);
}

Outcome apply(const Function& f, const Unroll& step, Context&) {
  const FoundLoop found = ARDEA_TRY(refer_to_loop(f, step.loop));
  if (found.loop->kind == ForKind::unrolled) return Applied{f};
  ARDEA_TRY(refuse_unless_serial(*found.loop));
  return marked(f, found, ForKind::unrolled);
}

}  // namespace ardea::schedule
