#include "ardea/ir/intrinsics.h"
#include "ardea/ir/scope.h"
#include "ardea/ir/substitute.h"
#include "ardea/limits/instruction_windows.h"
#include "ardea/limits/kept_box.h"
#include "ardea/lower/filled_first.h"
#include "ardea/lower/gpu/launch.h"
#include "ardea/lower/layout.h"
#include "ardea/lower/passes.h"

namespace ardea::lower {

namespace {

using arith::Analyzer;

Expr shifted(const Expr& index, const Expr& corner) {
  if (index.type().is_scalar()) return as_index(index) - corner;
  return add_index(index, make_int(0) - corner);
}

Stmt compacted(const Allocate& allocate, const limits::Surroundings& around, const target::Target& target) {
  const limits::KeptBox kept = kept_box(allocate, around, target, limits::Sizes::number);
  if (kept.is_whole) return allocate;
  const auto* declare = allocate.body.as<DeclareBuffer>();
  const Buffer& buffer = declare->buffer;
  const std::vector<Expr>& corner = kept.corner;
  BufferNode small = *buffer;
  small.shape = kept.shape;
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
  out.body = DeclareBuffer{
      shrunk, redirect(*limits::with_strides(declare->body, buffer, shrunk, around.facts), shift)};
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

/// What the statements of a function have in common.
struct Compaction {
  const target::Target& target;
  bool has_register_tiles = false;  ///< somewhere in the function
  /// Whether loops over threads stand around what these share: what one of them touches is not all of it.
  bool is_concurrent = false;
};

Stmt with_compact_allocations(const Stmt& s, const limits::Surroundings& around,
                              const Compaction& compaction) {
  const limits::Surroundings inner = limits::inside(around, s);
  const Stmt out = map_children(s, Mapper{.stmt = [&](const Stmt& child) {
                                  return with_compact_allocations(child, inner, compaction);
                                }});
  const auto* allocate = out.as<Allocate>();
  if (allocate != nullptr && compaction.is_concurrent && is_block_memory(allocate->scope)) return out;
  if (allocate == nullptr || !whole_view(*allocate, Addresses::of_units).defined()) return out;
  const Stmt small = compacted(*allocate, around, compaction.target);
  return compaction.has_register_tiles ? with_notes(small, around.facts) : small;
}

}  // namespace

Function compact_allocations(const Function& f, const target::Target& target) {
  Function out = f;
  Compaction compaction{target};
  compaction.is_concurrent = f.attributes.contains("concurrent_threads");
  visit_stmts(f.body, [&](const Stmt& s) {
    const auto* allocate = s.as<Allocate>();
    compaction.has_register_tiles |= allocate != nullptr && allocate->scope == register_scope;
  });
  out.body = with_compact_allocations(f.body, {arith::facts_of(f)}, compaction);
  return out;
}

}  // namespace ardea::lower
