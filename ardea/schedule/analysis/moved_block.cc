#include "ardea/schedule/analysis/moved_block.h"

#include <fmt/core.h>

#include <algorithm>

#include "ardea/arith/dependence.h"
#include "ardea/arith/regions_linear.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/substitute.h"
#include "ardea/schedule/analysis/iterator_values.h"
#include "ardea/schedule/program/refer.h"
#include "ardea/schedule/program/scope.h"

namespace ardea::schedule {

namespace {

using arith::as_index;

std::size_t position_in(const Seq& sequence, const Stmt& s) {
  const auto at = std::find(sequence.statements.begin(), sequence.statements.end(), s);
  return static_cast<std::size_t>(at - sequence.statements.begin());
}

bool has_effects(const Block& block) {
  bool found = false;
  for (const Stmt& part : {block.init, block.body}) {
    if (!part.defined()) continue;
    visit_exprs(part, [&](const Expr& e) { found = found || (e.is<Call>() && has_effect(e)); });
    visit_stmts(part, [&](const Stmt& s) { found = found || s.is<Assert>(); });
  }
  return found;
}

/// The variables that the statement itself defines for what it holds.
std::vector<Var> defined_by(const Stmt& s) {
  if (const auto* loop = s.as<For>()) return {loop->var};
  if (const auto* let = s.as<LetStmt>()) return {let->var};
  if (const auto* allocate = s.as<Allocate>()) return {allocate->data};
  return {};
}

template <class Touches>
std::string block_that(const std::vector<Stmt>& statements, const BlockId& skipped, const Touches& touches) {
  std::string name;
  for (const Stmt& s : statements)
    visit_stmts(s, [&](const Stmt& part) {
      const auto* block = part.as<Block>();
      if (block == nullptr || block->id == skipped || !name.empty()) return;
      if (touches(memory_use(part))) name = "block " + block->name;
    });
  return name.empty() ? "code" : name;
}

}  // namespace

std::vector<Stmt> Places::statements_between() const {
  const std::vector<Stmt>& all = sequence().statements;
  const auto [first, last] = std::minmax(block_position, loop_position);
  return std::vector<Stmt>(all.begin() + static_cast<std::ptrdiff_t>(first),
                           all.begin() + static_cast<std::ptrdiff_t>(last) + 1);
}

bool is_block(const Stmt& s, const BlockId& id) {
  const auto* block = s.as<Block>();
  return block != nullptr && block->id == id;
}

Result<Places> places_of(const Function& f, const BlockRef& block, const LoopRef& loop) {
  Path found_block = ARDEA_TRY(refer(f, block));
  Path found_loop = ARDEA_TRY(refer(f, loop));
  Places places{std::move(found_block), std::move(found_loop)};
  const std::string& name = places.block.block().name;
  if (places.block.block_around() != places.loop.block_around() || places.block.size() == 1)
    return Refusal{"not_in_one_scope",
                   fmt::format("block {} and loop {} do not stand in the same block", name, loop.var.name())};
  if (std::find(places.block.begin(), places.block.end(), places.loop.back()) != places.block.end())
    return Refusal{"already_there", fmt::format("block {} is under loop {} already", name, loop.var.name())};
  places.scope = places.block.block_around().size();
  while (places.block[places.common] == places.loop[places.common]) ++places.common;
  const auto* sequence = places.block[places.common - 1].as<Seq>();
  if (sequence == nullptr)
    return Refusal{"not_in_one_sequence",
                   fmt::format("block {} and loop {} stand on different sides of a condition, so that one "
                               "never comes after the other",
                               name, loop.var.name())};
  places.block_position = position_in(*sequence, places.block[places.common]);
  places.loop_position = position_in(*sequence, places.loop[places.common]);
  return places;
}

bool reads_own_writes(const Block& block) {
  return !block.init.defined() && meet(memory_of(*block.reads), memory_of(*block.writes));
}

std::optional<Refusal> refuse_unless_movable(const Path& path, std::size_t first) {
  const Block& block = path.block();
  for (const BlockIterator& iterator : block.iterators)
    if (iterator.kind != IteratorKind::spatial && iterator.kind != IteratorKind::reduce)
      return Refusal{"iterators_in_order",
                     fmt::format("the values of iterator {} of block {} must come in the order of its loops",
                                 iterator.var.name(), block.name)};
  Block inside = block;
  for (BlockIterator& iterator : inside.iterators) iterator.binding = make_int(0, iterator.var.type());
  inside.predicate = {};
  const std::vector<Var> used = free_variables(Stmt(inside));
  const std::vector<Buffer> buffers = buffers_in(Stmt(inside));
  for (std::size_t i = first; i + 1 < path.size(); ++i) {
    for (const Var& var : defined_by(path[i]))
      if (std::find(used.begin(), used.end(), var) != used.end())
        return Refusal{
            "body_uses_its_place",
            fmt::format("the body of block {} uses {}, which is defined around it", block.name, var.name())};
    const auto* declared = path[i].as<DeclareBuffer>();
    if (declared != nullptr && std::find(buffers.begin(), buffers.end(), declared->buffer) != buffers.end())
      return Refusal{"body_uses_its_place",
                     fmt::format("the body of block {} uses {}, which is defined around it", block.name,
                                 declared->buffer->name)};
  }
  return std::nullopt;
}

std::optional<Refusal> refuse_unless_recomputable(const Function& f, const Path& path) {
  const Block& block = path.block();
  if (reads_own_writes(block) || has_effects(block))
    return Refusal{"not_recomputable",
                   fmt::format("computing an element of block {} twice is not the same as computing it once: "
                               "its body {}",
                               block.name, has_effects(block) ? "has effects" : "changes what was there")};
  const Path around = path.block_around();
  for (const BufferRegion& region : *block.writes) {
    const std::vector<Buffer>& own = around.block().allocations;
    const auto allocated = std::find(own.begin(), own.end(), region.buffer);
    if (allocated == own.end())
      return Refusal{"output_leaves_scope",
                     fmt::format("block {} writes {}, which {}: all of it is needed, not only what is used "
                                 "here",
                                 block.name, region.buffer->name,
                                 owner_of(f, region.buffer) ? "is allocated outside the block around it"
                                                            : "is a parameter of the program")};
  }
  const Memory written = memory_of(*block.writes);
  if (meet(use_of({around.block().body}, block.id).writes, written))
    return Refusal{"written_elsewhere",
                   fmt::format("{} writes {}, too, so that block {} does not decide what is in it",
                               writer_of(written, {around.block().body}, block.id),
                               name_in(written, *block.writes), block.name)};
  return std::nullopt;
}

std::optional<Refusal> refuse_other_reduction_order(const Function& f, const Path& path, std::size_t first) {
  const Block& block = path.block();
  const bool any_order = std::all_of(
      block.writes->begin(), block.writes->end(),
      [&](const BufferRegion& region) { return arith::is_commutative_update(block, region.buffer); });
  if (any_order) return std::nullopt;
  const Between inside = between(path, first);
  arith::Analyzer facts = path.upto(first).facts(f);
  for (const auto& [var, range] : inside.loops) facts.bind(var, range);
  // The reduce iterators as one number, which must rise from each iteration to the next.
  Expr number = make_int(0);
  for (std::size_t i = 0; i < block.iterators.size(); ++i)
    if (block.iterators[i].kind == IteratorKind::reduce)
      number = number * as_index(block.iterators[i].domain.extent) + as_index(inside.bindings[i]);
  const auto coefficients = arith::linear_coefficients(number, inside.loops, facts);
  bool rises = coefficients.has_value();
  Expr reach = make_int(0);
  for (std::size_t i = inside.loops.size(); rises && i-- > 0;) {
    if (is_zero((*coefficients)[i])) continue;
    rises = facts.proves((*coefficients)[i] > reach);
    reach = facts.simplify(reach + (*coefficients)[i] * (as_index(inside.loops[i].second.extent) - 1));
  }
  if (rises) return std::nullopt;
  return Refusal{"reduction_order",
                 fmt::format("block {} combines in an order that may matter, and its loops do not follow the "
                             "order of its reduce iterators",
                             block.name)};
}

std::string name_in(const Memory& memory, const std::vector<BufferRegion>& regions) {
  for (const BufferRegion& region : regions)
    if (memory.contains(region.buffer->data)) return region.buffer->name;
  return "memory";
}

std::string reader_of(const Memory& memory, const std::vector<Stmt>& statements, const BlockId& skipped) {
  return block_that(statements, skipped, [&](const MemoryUse& use) { return meet(use.reads, memory); });
}

std::string writer_of(const Memory& memory, const std::vector<Stmt>& statements, const BlockId& skipped) {
  return block_that(statements, skipped, [&](const MemoryUse& use) { return meet(use.writes, memory); });
}

MemoryUse use_of(const std::vector<Stmt>& statements, const BlockId& skipped) {
  MemoryUse all;
  for (const Stmt& s : statements) {
    const MemoryUse use = memory_use(s, [&](const Stmt& part) { return is_block(part, skipped); });
    all.reads.insert(use.reads.begin(), use.reads.end());
    all.writes.insert(use.writes.begin(), use.writes.end());
  }
  return all;
}

}  // namespace ardea::schedule
