#include <algorithm>

#include "ardea/arith/regions.h"
#include "ardea/ir/substitute.h"
#include "ardea/lower/facts.h"
#include "ardea/lower/layout.h"
#include "ardea/lower/passes.h"

namespace ardea::lower {

namespace {

using arith::Analyzer;

/// The most that e can be in any iteration of the loops around. Both sides of the tail min(r * 16 + 16, n) -
/// r * 16 move with r, and only one of the operands of the min at a time says that it is at most 16.
std::optional<std::int64_t> largest_value(const Expr& e, const Analyzer& facts) {
  std::optional<std::int64_t> largest = facts.constant_bounds(e).high;
  const Expr whole = facts.bounds(e).high;
  if (const auto most = whole ? constant_int(facts.simplify(whole)) : std::nullopt)
    largest = std::min(largest.value_or(*most), *most);
  std::vector<Expr> ends;
  visit_exprs(e, [&](const Expr& part) {
    const auto* node = part.as<Binary>();
    if (node != nullptr && (node->op == BinaryOp::min || node->op == BinaryOp::max)) ends.push_back(part);
  });
  constexpr std::size_t most_ends = 4;  // each doubles the work
  if (ends.empty() || ends.size() > most_ends) return largest;
  const auto* end = ends[0].as<Binary>();
  for (const Expr& operand : {end->left, end->right}) {
    const Expr other = facts.simplify(
        rewrite(e, [&](const Expr& x) { return x == ends[0] ? std::optional(operand) : std::nullopt; }));
    if (!facts.proves(e <= other)) continue;
    const std::optional<std::int64_t> most = largest_value(other, facts);
    if (most && (!largest || *most < *largest)) largest = most;
  }
  return largest;
}

/// The part of a dimension to keep: the touched range where that is known to be smaller, else all of it.
Range kept(const Range& touched, const Expr& extent, const Analyzer& facts) {
  const Range all{make_int(0), as_index(extent)};
  if (reads_memory(touched.min) || reads_memory(touched.extent)) return all;
  Range part{facts.simplify(as_index(touched.min)), facts.simplify(as_index(touched.extent))};
  if (!part.extent.is<IntImm>()) {
    // A size that varies with the loops around would be a new size each time: the largest of them serves all.
    if (const auto largest = largest_value(part.extent, facts))
      part.extent = make_int(std::max<std::int64_t>(*largest, 1));
  }
  return facts.proves(part.extent < all.extent) && facts.proves(part.extent >= make_int(1)) ? part : all;
}

std::optional<BufferRegion> touched_box(const Buffer& buffer, const Stmt& body, const Analyzer& facts) {
  const arith::Accesses accesses = arith::accesses(body, facts);
  std::optional<arith::Touched> box;
  for (const auto* list : {&accesses.reads, &accesses.writes})
    for (const arith::Touched& touched : *list)
      if (touched.region.buffer == buffer) box = box ? arith::unite(*box, touched, facts) : touched;
  return box ? std::optional(box->region) : std::nullopt;
}

Expr shifted(const Expr& index, const Expr& corner) {
  if (index.type().is_scalar()) return as_index(index) - corner;
  return add_index(index, make_int(0) - corner);
}

Stmt compacted(const Allocate& allocate, const Buffer& buffer, const Analyzer& facts) {
  const Stmt& body = allocate.body.as<DeclareBuffer>()->body;
  const std::optional<BufferRegion> box = touched_box(buffer, body, facts);
  if (!box) return allocate;
  BufferNode small = *buffer;
  std::vector<Expr> corner;
  bool shrinks = false;
  for (std::size_t d = 0; d < small.shape.size(); ++d) {
    const Range range = kept(box->region[d], buffer->shape[d], facts);
    shrinks = shrinks || facts.proves(range.extent < as_index(buffer->shape[d]));
    small.shape[d] = range.extent;
    corner.push_back(range.min);
  }
  if (!shrinks) return allocate;
  const Buffer shrunk(std::move(small));
  const Redirection shift = {
      .access = [&](const Buffer& b, const std::vector<Expr>& indices) -> std::optional<Place> {
        if (b != buffer) return std::nullopt;
        Place place{shrunk, indices};
        for (std::size_t d = 0; d < indices.size(); ++d)
          if (!is_zero(corner[d])) place.indices[d] = shifted(indices[d], corner[d]);
        return place;
      }};
  Allocate out = allocate;
  out.extents = shrunk->shape;
  out.body = DeclareBuffer{shrunk, redirect(body, shift)};
  return out;
}

Stmt visit(const Stmt& s, const Analyzer& facts) {
  Analyzer inner = facts;
  if (const auto* loop = s.as<For>()) inner = inside(facts, *loop);
  if (const auto* let = s.as<LetStmt>()) inner = inside(facts, *let);
  const Stmt out = map_children(s, Mapper{.stmt = [&](const Stmt& child) { return visit(child, inner); }});
  const auto* allocate = out.as<Allocate>();
  if (allocate == nullptr) return out;
  const Buffer buffer = whole_view(*allocate);
  return buffer ? compacted(*allocate, buffer, facts) : out;
}

}  // namespace

Function compact_allocations(const Function& f, const target::Target&) {
  Function out = f;
  out.body = visit(f.body, arith::facts_of(f));
  return out;
}

}  // namespace ardea::lower
