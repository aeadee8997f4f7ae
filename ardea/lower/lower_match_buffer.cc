#include "ardea/ir/intrinsics.h"
#include "ardea/ir/substitute.h"
#include "ardea/lower/layout.h"
#include "ardea/lower/passes.h"
#include "ardea/support/error.h"

namespace ardea::lower {

namespace {

/// The source's index for each dimension: the corner, plus the window's own index in the trailing dimensions.
std::vector<Expr> in_source(const MatchBuffer& match, const std::vector<Expr>& indices) {
  const std::vector<Range>& window = match.source.region;
  const std::size_t leading = window.size() - indices.size();
  std::vector<Expr> places;
  for (std::size_t d = 0; d < window.size(); ++d)
    places.push_back(d < leading ? window[d].min : add_index(window[d].min, indices[d - leading]));
  return places;
}

BufferRegion in_source(const MatchBuffer& match, const BufferRegion& part) {
  const std::vector<Range>& window = match.source.region;
  const std::size_t leading = window.size() - part.region.size();
  BufferRegion out{match.source.buffer, {}};
  for (std::size_t d = 0; d < window.size(); ++d) {
    if (d < leading) {
      out.region.push_back(window[d]);
      continue;
    }
    const Range& own = part.region[d - leading];
    out.region.push_back({add_index(window[d].min, own.min), own.extent});
  }
  return out;
}

/// Extents, strides and offset that the match leaves open are those of the window; `data` without an offset
/// is its corner.
void bind_layout(const MatchBuffer& match, Substitution& values) {
  const Buffer &window = match.buffer, &source = match.source.buffer;
  const auto bind = [&](const Expr& open, const Expr& value) {
    if (open.defined() && open.is<VarNode>()) values.emplace(Var(open), make_cast(open.type(), value));
  };
  const std::vector<Expr> strides = strides_of(source);
  const std::size_t leading = strides.size() - window->shape.size();
  for (std::size_t d = 0; d < window->shape.size(); ++d)
    bind(window->shape[d], match.source.region[leading + d].extent);
  for (std::size_t d = 0; d < window->strides.size(); ++d) bind(window->strides[d], strides[leading + d]);
  std::vector<Expr> corner;
  for (const Range& range : match.source.region) corner.push_back(range.min);
  bind(window->element_offset, flat_index(source, corner));
  values.emplace(window->data, window->element_offset.defined()
                                   ? Expr(source->data)
                                   : make_call("address_of", {make_load(source, corner)}));
}

Stmt without_match(const Stmt& body, const MatchBuffer& match) {
  for (const Buffer& b : buffers_in(body))
    require(b == match.buffer || b->data != match.buffer->data,
            "match_buffer {}: {} is a view of it, which a window cannot have; take the view of {} instead",
            match.buffer->name, b->name, match.source.buffer->name);
  const Redirection to_source = {
      .access = [&](const Buffer& b, const std::vector<Expr>& indices) -> std::optional<Place> {
        if (b != match.buffer) return std::nullopt;
        return Place{match.source.buffer, in_source(match, indices)};
      },
      .region = [&](const BufferRegion& part) -> std::optional<BufferRegion> {
        if (part.buffer != match.buffer) return std::nullopt;
        return in_source(match, part);
      }};
  Substitution values;
  bind_layout(match, values);
  return substitute(redirect(body, to_source), values);
}

Stmt without_matches(const Stmt& s) {
  const auto* block = s.as<Block>();
  if (block == nullptr || block->matches.empty()) return map_children(s, Mapper{.stmt = without_matches});
  Block out = *block;
  out.matches.clear();
  for (const MatchBuffer& match : block->matches) out.body = without_match(out.body, match);
  return map_children(Stmt(std::move(out)), Mapper{.stmt = without_matches});
}

}  // namespace

Function lower_match_buffer(const Function& f, const target::Target&) {
  Function out = f;
  out.body = without_matches(f.body);
  return out;
}

}  // namespace ardea::lower
