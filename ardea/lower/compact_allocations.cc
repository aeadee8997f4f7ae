#include <algorithm>

#include "ardea/arith/pipelined_loops.h"
#include "ardea/arith/regions.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/substitute.h"
#include "ardea/lower/facts.h"
#include "ardea/lower/layout.h"
#include "ardea/lower/passes.h"

namespace ardea::lower {

namespace {

using arith::Analyzer;

/// The buffer over the whole allocation, where it is the only view and no address of it is taken.
Buffer only_view(const Allocate& allocate) {
  const auto* declare = allocate.body.as<DeclareBuffer>();
  if (declare == nullptr || declare->buffer->data != allocate.data || !is_compact(declare->buffer)) return {};
  for (const Buffer& b : buffers_in(declare->body))
    if (b->data == allocate.data && b != declare->buffer) return {};
  bool escapes = false;
  visit_exprs(declare->body, [&](const Expr& e) {
    escapes = escapes || e == allocate.data;
    const auto* call = e.as<Call>();
    if (call != nullptr && call->op->name == "address_of")
      escapes = escapes || call->arguments[0].as<Load>()->buffer == declare->buffer;
  });
  return escapes ? Buffer{} : declare->buffer;
}

/// What is known outside of an allocation.
struct Around {
  Analyzer facts;
  std::vector<Var> pipelined = {};  ///< loops whose iterations' memory will stand outside of them
};

/// The part of a dimension to keep: the touched range where that is known to be smaller, else all of it.
Range kept(const Range& touched, const Expr& extent, const Around& around) {
  const Analyzer& facts = around.facts;
  const Range all{make_int(0), as_index(extent)};
  if (reads_memory(touched.min) || reads_memory(touched.extent)) return all;
  Range part{facts.simplify(as_index(touched.min)), facts.simplify(as_index(touched.extent))};
  if (!part.extent.is<IntImm>()) {
    // A size that varies with the loops around would be a new size each time: the largest of them serves all.
    if (const auto largest = facts.constant_bounds(part.extent).high)
      part.extent = make_int(std::max<std::int64_t>(*largest, 1));
  }
  for (const Var& loop : around.pipelined)
    if (uses(part.extent, loop)) return all;
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

Stmt compacted(const Allocate& allocate, const Buffer& buffer, const Around& around) {
  const Analyzer& facts = around.facts;
  const Stmt& body = allocate.body.as<DeclareBuffer>()->body;
  const std::optional<BufferRegion> box = touched_box(buffer, body, facts);
  if (!box) return allocate;
  BufferNode small = *buffer;
  std::vector<Expr> corner;
  bool shrinks = false;
  for (std::size_t d = 0; d < small.shape.size(); ++d) {
    const Range range = kept(box->region[d], buffer->shape[d], around);
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

Stmt visit(const Stmt& s, const Around& around) {
  Around inner = around;
  if (const auto* loop = s.as<For>()) {
    inner.facts = inside(around.facts, *loop);
    if (loop->annotations.contains(arith::pipeline_stage_key)) inner.pipelined.push_back(loop->var);
  }
  if (const auto* let = s.as<LetStmt>()) inner.facts = inside(around.facts, *let);
  const Stmt out = map_children(s, Mapper{.stmt = [&](const Stmt& child) { return visit(child, inner); }});
  const auto* allocate = out.as<Allocate>();
  if (allocate == nullptr) return out;
  const Buffer buffer = only_view(*allocate);
  return buffer ? compacted(*allocate, buffer, around) : out;
}

}  // namespace

Function compact_allocations(const Function& f, const target::Target&) {
  Function out = f;
  out.body = visit(f.body, {arith::facts_of(f)});
  return out;
}

}  // namespace ardea::lower
