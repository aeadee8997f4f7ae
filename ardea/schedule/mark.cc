#include "ardea/schedule/mark.h"

#include "ardea/schedule/concurrency.h"
#include "ardea/schedule/plain_loop.h"
#include "ardea/schedule/refer.h"
#include "ardea/support/text.h"

namespace ardea::schedule {

namespace {

Outcome marked(const Function& f, const FoundLoop& found, ForKind kind) {
  For loop = *found.loop;
  loop.kind = kind;
  return Applied{with(f, found.path, loop)};
}

std::optional<Refusal> refuse_other_kind(const For& loop) {
  if (loop.kind == ForKind::serial) return std::nullopt;
  return Refusal{"loop_is_not_serial",
                 fmt::format("loop {} is {} already", loop.var.name(), kind_name(loop.kind))};
}

/// For loops whose iterations run at the same time.
Outcome concurrent(const Function& f, const LoopRef& loop, ForKind kind) {
  auto referred = refer_to_loop(f, loop);
  if (auto* refusal = std::get_if<Refusal>(&referred)) return std::move(*refusal);
  const auto& found = std::get<FoundLoop>(referred);
  if (auto refusal = refuse_other_kind(*found.loop)) return *std::move(refusal);
  if (auto refusal = refuse_carried(f, found, kind)) return *std::move(refusal);
  return marked(f, found, kind);
}

}  // namespace

Outcome apply(const Function& f, const Parallel& step, Context&) {
  return concurrent(f, step.loop, ForKind::parallel);
}

Outcome apply(const Function& f, const Vectorize& step, Context&) {
  return concurrent(f, step.loop, ForKind::vectorized);
}

Outcome apply(const Function& f, const Unroll& step, Context&) {
  auto referred = refer_to_loop(f, step.loop);
  if (auto* refusal = std::get_if<Refusal>(&referred)) return std::move(*refusal);
  const auto& found = std::get<FoundLoop>(referred);
  if (auto refusal = refuse_other_kind(*found.loop)) return *std::move(refusal);
  return marked(f, found, ForKind::unrolled);
}

Outcome apply(const Function& f, const AnnotateLoop& step, Context&) {
  auto referred = refer_to_loop(f, step.loop);
  if (auto* refusal = std::get_if<Refusal>(&referred)) return std::move(*refusal);
  const auto& found = std::get<FoundLoop>(referred);
  if (step.key.empty()) return Refusal{"no_key", "the annotation has no name"};
  if (found.loop->annotations.contains(step.key))
    return Refusal{"annotated_already", fmt::format("loop {} has an annotation {} already",
                                                    step.loop.var.name(), in_quotes(step.key))};
  For loop = *found.loop;
  loop.annotations[step.key] = {make_int(step.value)};
  return Applied{with(f, found.path, loop)};
}

}  // namespace ardea::schedule
