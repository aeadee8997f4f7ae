#include "ardea/limits/kept_box.h"

#include <algorithm>

#include "ardea/arith/inside.h"
#include "ardea/arith/pipelined_loops.h"
#include "ardea/arith/regions.h"
#include "ardea/ir/layout.h"
#include "ardea/ir/scope.h"
#include "ardea/ir/substitute.h"
#include "ardea/limits/instruction_windows.h"
#include "ardea/limits/lane_counts.h"
#include "ardea/limits/largest_value.h"

namespace ardea::limits {

namespace {

using arith::Analyzer;

bool instructions_take(const Buffer& now, const Buffer& before, const Stmt& body, const Analyzer& facts) {
  bool fits = true;
  visit_stmts(body, [&](const Stmt& s) {
    const Call* call = instruction_call(s);
    if (call != nullptr && fits)
      fits = with_strides(*call, *windows_of(*call, before, facts), now, facts).has_value();
  });
  return fits;
}

/// The box around all that the body touches of the buffer, by instructions, too.
std::optional<arith::Touched> whole_box(const Buffer& buffer, const Stmt& body, const Analyzer& facts) {
  const std::optional<Stmt> shown = with_windows_shown(body, buffer, facts);
  if (!shown) return std::nullopt;
  return arith::touched_box(arith::accesses_of(buffer, *shown, facts), buffer, facts);
}

/// One size for all iterations of the loops around: one that varies with them would be a new size each time.
Expr one_size(const Expr& extent, Sizes sizes, const Analyzer& facts) {
  if (extent.is<IntImm>()) return extent;
  if (sizes == Sizes::number)
    if (const auto most = largest_number(extent, facts)) return make_int(std::max<std::int64_t>(*most, 1));
  if (!varies_with_loops(extent, facts)) return extent;
  const Expr largest = largest_value(extent, facts);
  return largest.defined() ? largest : extent;
}

/// The part of a dimension to keep; nothing where that is all of it.
std::optional<Range> kept_part(const Range& touched, const Expr& whole, bool needs_number,
                               const Surroundings& around, Sizes sizes) {
  const Analyzer& facts = around.facts;
  const Expr all = facts.simplify(as_index(whole));
  if (arith::reads_memory(touched.min) || arith::reads_memory(touched.extent)) return std::nullopt;
  Range part{facts.simplify(as_index(touched.min)),
             one_size(facts.simplify(as_index(touched.extent)), sizes, facts)};
  // Only memory of a known size can be registers, or a GPU's own, though it may be larger than what it holds
  // a part of.
  if (needs_number && part.extent.is<IntImm>() && !all.is<IntImm>()) return part;
  const bool varies = varies_with_loops(part.extent, facts);
  for (const Var& loop : around.pipelined)
    if (uses(part.extent, loop)) return std::nullopt;
  if (!facts.proves(part.extent >= make_int(1))) {
    if (varies) return std::nullopt;
    part.extent = facts.simplify(max(part.extent, make_int(1)));
  }
  if (facts.proves(all <= part.extent)) return std::nullopt;
  // What is touched lies inside the buffer, so that the whole extent serves too, whatever the bound says.
  if (facts.proves(part.extent <= all)) return part;
  if (varies) return std::nullopt;
  part.extent = facts.simplify(min(part.extent, all));
  return part;
}

/// What is not touched of a row of registers costs nothing. A row of one is a number.
bool pad_row(BufferNode& buffer, Sizes sizes, const target::Target& target) {
  if (buffer.shape.empty()) return false;
  Expr& row = buffer.shape.back();
  const std::int64_t lanes = register_lanes(std::max<int>(buffer.type.bits, 8), target);
  const auto known = constant_int(row);
  if (known ? *known == 1 || *known % lanes == 0 : sizes == Sizes::number) return false;
  if (known)
    row = make_int((*known + lanes - 1) / lanes * lanes);
  else
    row = make_select(equals(row, make_int(1)), row,
                      floor_div(row + make_int(lanes - 1), make_int(lanes)) * make_int(lanes));
  return true;
}

}  // namespace

Surroundings inside(const Surroundings& around, const Stmt& s) {
  Surroundings inner = around;
  if (const auto* loop = s.as<For>()) {
    inner.facts = arith::inside(around.facts, *loop);
    if (loop->annotations.contains(arith::pipeline_stage_key)) inner.pipelined.push_back(loop->var);
  }
  if (const auto* let = s.as<LetStmt>()) inner.facts = arith::inside(around.facts, *let);
  return inner;
}

KeptBox kept_box(const Allocate& allocate, const Surroundings& around, const target::Target& target,
                 Sizes sizes) {
  const Buffer buffer = whole_view(allocate, Addresses::of_units);
  KeptBox whole{.shape = allocate.extents};
  if (!whole.shape.empty()) whole.row = as_index(whole.shape.back());
  if (!buffer.defined()) return whole;
  const Stmt& body = allocate.body.as<DeclareBuffer>()->body;
  const std::optional<arith::Touched> box = whole_box(buffer, body, around.facts);
  if (!box) return whole;
  KeptBox kept;
  BufferNode small = *buffer;
  const bool in_registers = allocate.scope == register_scope;
  const bool needs_number = in_registers || (target.gpu && scope_rank(allocate.scope) != ScopeRank::device);
  for (std::size_t d = 0; d < small.shape.size(); ++d) {
    const auto part = kept_part(box->region.region[d], buffer->shape[d], needs_number, around, sizes);
    small.shape[d] = part ? part->extent : as_index(buffer->shape[d]);
    kept.corner.push_back(part ? part->min : make_int(0));
    kept.is_whole = kept.is_whole && !part;
  }
  if (in_registers && !small.shape.empty()) kept.row = small.shape.back();
  if (in_registers && pad_row(small, sizes, target)) kept.is_whole = false;
  kept.shape = small.shape;
  if (kept.is_whole || !instructions_take(Buffer(std::move(small)), buffer, body, around.facts)) return whole;
  return kept;
}

}  // namespace ardea::limits
