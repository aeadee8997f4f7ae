#include <algorithm>

#include "ardea/arith/pipelined_loops.h"
#include "ardea/arith/regions.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/scope.h"
#include "ardea/ir/substitute.h"
#include "ardea/lower/facts.h"
#include "ardea/lower/filled_first.h"
#include "ardea/lower/instruction_windows.h"
#include "ardea/lower/lane_counts.h"
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

/// What is known outside of an allocation.
struct Surroundings {
  Analyzer facts;
  bool has_register_tiles = false;  ///< somewhere in the function
  std::vector<Var> pipelined = {};  ///< loops whose iterations' memory will stand outside of them
};

/// The part of a dimension to keep: the touched range where that is known to be smaller, else all of it. In
/// registers also a touched range of constant size, which may be larger: only constants can be registers.
Range kept(const Range& touched, const Expr& extent, bool in_registers, const Surroundings& around) {
  const Analyzer& facts = around.facts;
  const Range all{make_int(0), as_index(extent)};
  if (reads_memory(touched.min) || reads_memory(touched.extent)) return all;
  Range part{facts.simplify(as_index(touched.min)), facts.simplify(as_index(touched.extent))};
  if (!part.extent.is<IntImm>()) {
    // A size that varies with the loops around would be a new size each time: the largest of them serves all.
    if (const auto largest = largest_value(part.extent, facts))
      part.extent = make_int(std::max<std::int64_t>(*largest, 1));
  }
  if (in_registers && part.extent.is<IntImm>() && !all.extent.is<IntImm>()) return part;
  for (const Var& loop : around.pipelined)
    if (uses(part.extent, loop)) return all;
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
  const arith::Accesses accesses = arith::accesses_of(buffer, *shown, facts);
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

/// Rows of registers are whole registers, so that the last vector of one may be a whole one under a mask.
/// What is not touched costs nothing.
bool pad_row(BufferNode& buffer, const target::Target& target) {
  const auto row = buffer.shape.empty() ? std::nullopt : constant_int(buffer.shape.back());
  const std::int64_t lanes = register_lanes(std::max<int>(buffer.type.bits, 8), target);
  if (!row || *row == 1 || *row % lanes == 0) return false;
  buffer.shape.back() = make_int((*row + lanes - 1) / lanes * lanes);
  return true;
}

Stmt compacted(const Allocate& allocate, const Buffer& buffer, const Surroundings& around,
               const target::Target& target) {
  const Analyzer& facts = around.facts;
  const Stmt& body = allocate.body.as<DeclareBuffer>()->body;
  const std::optional<BufferRegion> box = touched_box(buffer, body, facts);
  if (!box) return allocate;
  BufferNode small = *buffer;
  std::vector<Expr> corner;
  bool shrinks = false;
  for (std::size_t d = 0; d < small.shape.size(); ++d) {
    const Range range = kept(box->region[d], buffer->shape[d], allocate.scope == register_scope, around);
    shrinks = shrinks || facts.proves(range.extent < as_index(buffer->shape[d])) ||
              (range.extent.is<IntImm>() && !buffer->shape[d].is<IntImm>());
    small.shape[d] = range.extent;
    corner.push_back(range.min);
  }
  const bool pads = allocate.scope == register_scope && pad_row(small, target);
  if (!shrinks && !pads) return allocate;
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

/// The allocation says so where its memory is filled before it is read: masks of tails may then go.
Stmt with_notes(const Stmt& s, const Analyzer& facts) {
  Allocate out = *s.as<Allocate>();
  const auto* declare = out.body.as<DeclareBuffer>();
  if (out.scope == register_scope || !is_filled_first(declare->buffer, declare->body, facts)) return s;
  out.annotations[std::string(filled_first_key)] = Attribute{make_int(1)};
  return out;
}

Stmt with_compact_allocations(const Stmt& s, const Surroundings& around, const target::Target& target) {
  Surroundings inner = around;
  if (const auto* loop = s.as<For>()) {
    inner.facts = inside(around.facts, *loop);
    if (loop->annotations.contains(arith::pipeline_stage_key)) inner.pipelined.push_back(loop->var);
  }
  if (const auto* let = s.as<LetStmt>()) inner.facts = inside(around.facts, *let);
  const Stmt out = map_children(
      s, Mapper{.stmt = [&](const Stmt& child) { return with_compact_allocations(child, inner, target); }});
  const auto* allocate = out.as<Allocate>();
  if (allocate == nullptr) return out;
  const Buffer buffer = whole_view(*allocate, Addresses::of_instructions);
  if (!buffer) return out;
  const Stmt small = compacted(*allocate, buffer, around, target);
  return around.has_register_tiles ? with_notes(small, around.facts) : small;
}

}  // namespace

Function compact_allocations(const Function& f, const target::Target& target) {
  Function out = f;
  bool has_registers = false;
  visit_stmts(f.body, [&](const Stmt& s) {
    const auto* allocate = s.as<Allocate>();
    has_registers = has_registers || (allocate != nullptr && allocate->scope == register_scope);
  });
  out.body = with_compact_allocations(f.body, {arith::facts_of(f), has_registers}, target);
  return out;
}

}  // namespace ardea::lower
