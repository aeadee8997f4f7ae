#include "ardea/lower/lane_memory.h"

#include "ardea/ir/substitute.h"
#include "ardea/lower/layout.h"

namespace ardea::lower {

namespace {

constexpr std::int64_t most_bytes_for_lanes = 16384;

/// The buffer over the memory, if there is one only, of the memory's own type and from its beginning on.
std::optional<Buffer> only_view(const Allocate& allocation) {
  std::optional<Buffer> view;
  for (const Buffer& buffer : buffers_in(allocation.body)) {
    if (!(buffer->data == allocation.data)) continue;
    if (view || buffer->type != allocation.type || buffer->shape.size() != 1 ||
        buffer->element_offset.defined())
      return std::nullopt;
    view = buffer;
  }
  bool is_named = false;  // by itself: its address is taken
  visit_exprs(allocation.body, [&](const Expr& e) { is_named = is_named || e == allocation.data; });
  return is_named ? std::nullopt : view;
}

}  // namespace

std::optional<Allocate> memory_for_lanes(const Allocate& allocation, const LaneLoop& loop) {
  const auto size = allocation.extents.size() == 1 ? constant_int(allocation.extents[0]) : std::nullopt;
  if (!size || *size < 1 || *size > most_bytes_for_lanes / loop.lanes / allocation.type.bytes())
    return std::nullopt;
  const auto view = only_view(allocation);
  if (!view) return std::nullopt;

  BufferNode node = **view;
  node.data = Var(allocation.data.name(), handle_type);
  node.shape = {make_int(*size * loop.lanes)};
  const Buffer all(std::move(node));
  const Expr lane = as_index(loop.var) - as_index(loop.first);
  Allocate out = allocation;
  out.data = all->data;
  out.extents = {all->shape[0]};
  out.body = redirect(allocation.body, {.access = [&](const Buffer& b, const std::vector<Expr>& indices) {
                        if (!(b == *view)) return std::optional<Place>();
                        const Expr element = multiply_index(indices.at(0), make_int(loop.lanes));
                        return std::optional(Place{all, {add_index(element, lane)}});
                      }});
  out.body = rewrite(out.body, Rewriter{.stmt_after = [&](const Stmt& s) -> Stmt {
                       const auto* declared = s.as<DeclareBuffer>();
                       return declared != nullptr && declared->buffer == *view
                                  ? Stmt(DeclareBuffer{all, declared->body})
                                  : s;
                     }});
  return out;
}

}  // namespace ardea::lower
