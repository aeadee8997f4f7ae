#include "ardea/schedule/program/plain_loop.h"

#include <fmt/core.h>

#include "ardea/arith/inside.h"
#include "ardea/ir/print.h"

namespace ardea::schedule {

std::string kind_name(ForKind kind) {
  switch (kind) {
    case ForKind::serial: return "serial";
    case ForKind::parallel: return "parallel";
    case ForKind::vectorized: return "vectorized";
    case ForKind::unrolled: return "unrolled";
    case ForKind::thread_binding: return "bound to a thread";
    case ForKind::virtual_thread: return "a virtual thread";
  }
  return "";
}

std::optional<Refusal> refuse_unless_serial(const For& loop) {
  if (loop.kind == ForKind::serial) return std::nullopt;
  return Refusal{"loop_is_not_serial",
                 fmt::format("loop {} is {} already", loop.var.name(), kind_name(loop.kind))};
}

std::optional<Refusal> refuse_bounds_in_memory(const For& loop) {
  for (const Expr& bound : {loop.min, loop.extent})
    if (arith::reads_memory(bound))
      return Refusal{"bounds_read_memory",
                     fmt::format("the bounds of loop {} are read from memory, {}, and would be read again "
                                 "after the loop has begun",
                                 loop.var.name(), print(bound))};
  return std::nullopt;
}

std::optional<Refusal> refuse_unless_plain(const For& loop) {
  if (loop.kind != ForKind::serial)
    return Refusal{"loop_is_not_serial",
                   fmt::format("loop {} is {}; reshape it first and say so of the result", loop.var.name(),
                               kind_name(loop.kind))};
  if (!loop.annotations.empty())
    return Refusal{"loop_is_annotated",
                   fmt::format("loop {} is annotated with {}; reshape it first and annotate the result",
                               loop.var.name(), loop.annotations.begin()->first)};
  return refuse_bounds_in_memory(loop);
}

}  // namespace ardea::schedule
