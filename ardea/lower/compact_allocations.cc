#include <algorithm>

#include "ardea/arith/regions.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/substitute.h"
#include "ardea/lower/facts.h"
#include "ardea/lower/instruction_windows.h"
#include "ardea/lower/layout.h"
#include "ardea/lower/passes.h"

namespace ardea::lower {

namespace {

using arith::Analyzer;

/// The buffer over the whole allocation, where it is the only view and no address of it is taken but by
/// tensor instructions.
Buffer only_view(const Allocate& allocate) {
  const auto* declare = allocate.body.as<DeclareBuffer>();
  if (declare == nullptr || declare->buffer->data != allocate.data || !is_compact(declare->buffer)) return {};
  for (const Buffer& b : buffers_in(declare->body))
    if (b->data == allocate.data && b != declare->buffer) return {};
  std::unordered_set<Expr> operands;
  visit_exprs(declare->body, [&](const Expr& e) {
    const auto* call = e.as<Call>();
    if (call != nullptr && call->op->name == "tensor_instruction")
      operands.insert(call->arguments.begin(), call->arguments.end());
  });
  bool escapes = false;
  visit_exprs(declare->body, [&](const Expr& e) {
    escapes = escapes || e == allocate.data;
    const auto* call = e.as<Call>();
    if (call != nullptr && call->op->name == "address_of" && !operands.contains(e))
      escapes = escapes || call->arguments[0].as<Load>()->buffer == declare->buffer;
  });
  return escapes ? Buffer{} : declare->buffer;
}

/// The part of a dimension to keep: the touched range where that is known to be smaller, else all of it.
Range kept(const Range& touched, const Expr& extent, const Analyzer& facts) {
  const Range all{make_int(0), as_index(extent)};
  if (reads_memory(touched.min) || reads_memory(touched.extent)) return all;
  Range part{facts.simplify(as_index(touched.min)), facts.simplify(as_index(touched.extent))};
  if (!part.extent.is<IntImm>()) {
    // A size that varies with the loops around would be a new size each time: the largest of them serves all.
    if (const auto largest = facts.constant_bounds(part.extent).high)
      part.extent = make_int(std::max<std::int64_t>(*largest, 1));
  }
  return facts.proves(part.extent < all.extent) && facts.proves(part.extent >= make_int(1)) ? part : all;
}

/// s with what its instructions touch of the buffer written out; nothing where that is not known.
std::optional<Stmt> with_windows_shown(const Stmt& s, const Buffer& buffer, const Analyzer& facts) {
  bool known = true;
  const Stmt shown = rewrite(s, Rewriter{.stmt = [&](const Stmt& x) -> std::optional<Stmt> {
                               const Call* call = instruction_call(x);
                               if (call == nullptr) return std::nullopt;
                               const auto windows = windows_of(*call, buffer, facts);
                               known = known && windows.has_value();
                               return windows ? touching(*windows, *call) : x;
                             }});
  return known ? std::optional(shown) : std::nullopt;
}

/// s with the strides that windows in `buffer` have in `now`; nothing where an instruction does not take
/// them.
std::optional<Stmt> with_strides_of(const Stmt& s, const Buffer& buffer, const Buffer& now,
                                    const Analyzer& facts) {
  bool fits = true;
  const Stmt out =
      rewrite(s, Rewriter{.stmt = [&](const Stmt& x) -> std::optional<Stmt> {
                const Call* call = instruction_call(x);
                if (call == nullptr) return std::nullopt;
                const auto changed = with_strides(*call, *windows_of(*call, buffer, facts), now, facts);
                fits = fits && changed.has_value();
                return changed ? Stmt(Evaluate{make_call(call->op->name, changed->arguments)}) : x;
              }});
  return fits ? std::optional(out) : std::nullopt;
}

std::optional<BufferRegion> touched_box(const Buffer& buffer, const Stmt& body, const Analyzer& facts) {
  const std::optional<Stmt> shown = with_windows_shown(body, buffer, facts);
  if (!shown) return std::nullopt;
  const arith::Accesses accesses = arith::accesses(*shown, facts);
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
  const std::optional<Stmt> restrided = with_strides_of(body, buffer, shrunk, facts);
  if (!restrided) return allocate;
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
  out.body = DeclareBuffer{shrunk, redirect(*restrided, shift)};
  return out;
}

Stmt visit(const Stmt& s, const Analyzer& facts) {
  Analyzer inner = facts;
  if (const auto* loop = s.as<For>()) inner = inside(facts, *loop);
  if (const auto* let = s.as<LetStmt>()) inner = inside(facts, *let);
  const Stmt out = map_children(s, Mapper{.stmt = [&](const Stmt& child) { return visit(child, inner); }});
  const auto* allocate = out.as<Allocate>();
  if (allocate == nullptr) return out;
  const Buffer buffer = only_view(*allocate);
  return buffer ? compacted(*allocate, buffer, facts) : out;
}

}  // namespace

Function compact_allocations(const Function& f, const target::Target&) {
  Function out = f;
  out.body = visit(f.body, arith::facts_of(f));
  return out;
}

}  // namespace ardea::lower
