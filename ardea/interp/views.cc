#include "ardea/interp/executor.h"
#include "ardea/ir/print.h"
#include "ardea/support/error.h"

/// Buffers over memory: declared views, and the windows of matched buffers.

namespace ardea::interp {

std::vector<std::int64_t> Executor::evaluate_all(const std::vector<Expr>& extents) {
  std::vector<std::int64_t> values;
  for (const Expr& e : extents) values.push_back(evaluate_integer(e));
  return values;
}

View Executor::view_of(const Buffer& buffer) {
  const Lanes* data = find(buffer->data);
  if (data == nullptr || (*data)[0].memory == nullptr)
    report(fmt::format("the memory {} of the buffer {} is not allocated here", buffer->data.name(),
                       buffer->name));
  View view;
  view.memory = (*data)[0].memory;
  view.data_bit = (*data)[0].integer;
  view.offset = buffer->element_offset.defined() ? evaluate_integer(buffer->element_offset) : 0;
  view.shape = evaluate_all(buffer->shape);
  if (!element_count(view.shape, buffer->type))
    report(fmt::format("the extents of {} are negative, or too large together", buffer->name));
  view.strides = buffer->strides.empty() ? *compact_strides(view.shape) : evaluate_all(buffer->strides);
  return view;
}

void Executor::bind_or_check(const Expr& e, std::int64_t value, const std::string& what,
                             std::vector<Var>& bound) {
  if (e.is<VarNode>() && find(Var(e)) == nullptr) {
    define(Var(e), integer_lane(value));
    bound.emplace_back(e);
    return;
  }
  if (const std::int64_t declared = evaluate_integer(e); declared != value)
    report(fmt::format("{} is {}, but the source has {}", what, declared, value));
}

std::vector<Var> Executor::match(const MatchBuffer& match) {
  const Buffer& buffer = match.buffer;
  const View& source = view(match.source.buffer);
  std::int64_t corner = source.offset;
  std::vector<std::int64_t> extents;
  for (std::size_t d = 0; d < source.shape.size(); ++d) {
    const Range& range = match.source.region[d];
    const std::int64_t min = evaluate_integer(range.min), extent = evaluate_integer(range.extent);
    if (min < 0 || extent < 0 || min > source.shape[d] - extent)
      report(fmt::format("the window {} of {} covers [{}, {}) of dimension {}, which must be in [0, {})",
                         buffer->name, match.source.buffer->name, min, min + extent, d + 1, source.shape[d]));
    corner += min * source.strides[d];
    extents.push_back(extent);
  }
  // Leading dimensions of the region that the buffer leaves out must be single elements.
  const std::size_t dropped = extents.size() - std::min(extents.size(), buffer->shape.size());
  for (std::size_t d = 0; d < dropped; ++d)
    if (extents[d] != 1)
      report(fmt::format("the window {} leaves out dimension {} of {}, whose extent is {} and not 1",
                         buffer->name, d + 1, match.source.buffer->name, extents[d]));
  if (dropped + buffer->shape.size() != extents.size())
    report(fmt::format("the window {} has more dimensions than {}", buffer->name, match.source.buffer->name));

  std::vector<Var> bound;
  View window{source.memory, source.data_bit, corner, {}, {}};
  for (std::size_t d = 0; d < buffer->shape.size(); ++d) {
    window.shape.push_back(extents[dropped + d]);
    window.strides.push_back(source.strides[dropped + d]);
    bind_or_check(buffer->shape[d], window.shape[d],
                  fmt::format("extent {} of the window {}", d + 1, buffer->name), bound);
    if (!buffer->strides.empty())
      bind_or_check(buffer->strides[d], window.strides[d],
                    fmt::format("stride {} of the window {}", d + 1, buffer->name), bound);
  }
  if (buffer->element_offset.defined())
    bind_or_check(buffer->element_offset, corner, fmt::format("the offset of the window {}", buffer->name),
                  bound);
  else  // then `data` points at the corner itself
    window = {source.memory, source.data_bit + corner * element_bits(buffer->type), 0, window.shape,
              window.strides};
  if (find(buffer->data) == nullptr) {
    define(buffer->data, address_lane(window.memory, window.data_bit));
    bound.push_back(buffer->data);
  }
  declare(buffer, std::move(window));
  return bound;
}

}  // namespace ardea::interp
