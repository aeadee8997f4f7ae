#include "ardea/schedule/primitives/memory/set_type.h"

#include <algorithm>

#include "ardea/ir/print.h"
#include "ardea/ir/traverse.h"
#include "ardea/schedule/primitives/memory/copy_block.h"
#include "ardea/schedule/program/allocation.h"
#include "ardea/schedule/program/refer.h"
#include "ardea/schedule/program/touches.h"

namespace ardea::schedule {

namespace {

const Load* load_of(const Expr& e, const Buffer& buffer) {
  const auto* load = e.as<Load>();
  return load != nullptr && load->buffer == buffer ? load : nullptr;
}

/// Loads that are converted become loads of `now`, and what is stored is converted; other loads stay.
Stmt converted(const Stmt& s, const Buffer& buffer, const Buffer& now) {
  Rewriter rewriter;
  rewriter.expr_after = [&](const Expr& e) -> Expr {
    const auto* cast = e.as<Cast>();
    const Load* load = cast == nullptr ? nullptr : load_of(cast->value, buffer);
    return load != nullptr && e.type() == now->type ? make_load(now, load->indices, load->predicate) : e;
  };
  rewriter.stmt_after = [&](const Stmt& part) -> Stmt {
    const auto* store = part.as<Store>();
    if (store == nullptr || !(store->buffer == buffer)) return part;
    Store out = *store;
    out.buffer = now;
    out.value = make_cast(now->type, store->value);
    return out;
  };
  return rewrite(s, rewriter);
}

}  // namespace

Outcome apply(const Function& f, const SetType& step, Context&) {
  const Path path = ARDEA_TRY(refer(f, step.block));
  if (path.size() == 1) return Refusal{"root_block", "the root block writes nothing itself"};
  const auto type = parse_data_type(step.type);
  if (!type || type->is_vector() || type->is_handle())
    return Refusal{"no_such_type", fmt::format("there is no type \"{}\" of elements", step.type)};
  const Buffer buffer = ARDEA_TRY(buffer_at(path.block(), Side::write, step.buffer_index));
  const Allocation allocation = ARDEA_TRY(allocation_of(f, buffer));
  const auto all = touches(allocation.owner, buffer);
  if (std::any_of(all.begin(), all.end(), [&](const Touch& touch) {
        return !touch.plain || vector_access(touch.path.back(), buffer);
      }))
    return Refusal{"buffer_is_viewed",
                   fmt::format("{} is also used through a view, a matched part, an address or by vectors",
                               buffer->name)};
  if (buffer->type == *type) return Applied{f};
  BufferNode node = *buffer;
  node.type = *type;
  const Buffer now(std::move(node));
  const Stmt out = converted(allocation.owner.back(), buffer, now);
  if (any_expr(out, [&](const Expr& e) { return load_of(e, buffer) != nullptr; }))
    return Refusal{"read_as_another_type",
                   fmt::format("{} is also read as the {} that it holds, or made something else than {}",
                               buffer->name, to_string(buffer->type), to_string(*type))};
  const Rewriter everywhere{
      .buffer = [&](const Buffer& one) { return one == buffer ? std::optional(now) : std::nullopt; }};
  return Applied{with(f, allocation.owner, rewrite(out, everywhere))};
}

}  // namespace ardea::schedule
