#include <algorithm>

#include "ardea/arith/allocation_site.h"
#include "ardea/arith/regions.h"
#include "ardea/ir/first_cache.h"
#include "ardea/ir/row_swizzle.h"
#include "ardea/ir/storage_alignment.h"
#include "ardea/ir/traverse.h"
#include "ardea/lower/facts.h"
#include "ardea/lower/layout.h"
#include "ardea/lower/passes.h"
#include "ardea/support/error.h"

namespace ardea::lower {

namespace {

using arith::Analyzer;

Stmt allocated_around(const Buffer& buffer, Stmt body) {
  std::vector<Expr> extents = is_compact(buffer) ? buffer->shape : std::vector<Expr>{flat_size(buffer)};
  return Allocate{buffer->data, buffer->type, std::move(extents), buffer->scope,
                  DeclareBuffer{buffer, std::move(body)}};
}

void forget(std::optional<std::vector<BufferRegion>>& regions, const Buffer& buffer) {
  if (regions) std::erase_if(*regions, [&](const BufferRegion& r) { return r.buffer == buffer; });
}

/// The last of `way` under the allocation, in the statements around it from way[depth] on. Blocks that now
/// hold the allocation no longer declare what they do to it.
Stmt rebuilt(const std::vector<Stmt>& way, std::size_t depth, const Buffer& buffer) {
  const Stmt& here = way[depth];
  if (depth + 1 == way.size()) return allocated_around(buffer, here);
  const Stmt& next = way[depth + 1];
  Stmt out = map_children(here, Mapper{.stmt = [&](const Stmt& child) {
                            return child == next ? rebuilt(way, depth + 1, buffer) : child;
                          }});
  const auto* block = out.as<Block>();
  if (block == nullptr) return out;
  Block holder = *block;
  forget(holder.reads, buffer);
  forget(holder.writes, buffer);
  return holder;
}

Stmt with_allocations(Block block, const Analyzer& facts) {
  const std::vector<Buffer> allocations = std::move(block.allocations);
  block.allocations.clear();
  std::vector<Buffer> around;
  for (const Buffer& buffer : allocations) {
    const std::vector<Stmt> way = arith::way_to_allocation(block, buffer, facts);
    if (way.empty())
      around.push_back(buffer);
    else if (arith::touches(block.body, buffer->data))
      block.body = rebuilt(way, 0, buffer);
  }
  if (around.empty()) return block;
  block.reads = block.writes = std::nullopt;  // now also what it does to these; completed below
  Stmt out = std::move(block);
  for (const Buffer& buffer : around) out = allocated_around(buffer, out);
  return out;
}

Stmt placed(const Stmt& s, const Analyzer& facts) {
  const Analyzer inner_facts = inside(facts, s);
  const Stmt inner =
      map_children(s, Mapper{.stmt = [&](const Stmt& child) { return placed(child, inner_facts); }});
  const auto* block = inner.as<Block>();
  return block == nullptr || block->allocations.empty() ? inner : with_allocations(*block, facts);
}

/// What blocks ask of the memory of buffers that they write. Of two wishes for one axis the first counts.
using Alignments = std::unordered_map<Var, std::vector<StorageAlignment>>;

Alignments alignments_in(const Stmt& s) {
  Alignments all;
  visit_stmts(s, [&](const Stmt& part) {
    const auto* block = part.as<Block>();
    if (block == nullptr) return;
    for (StorageAlignment alignment : storage_alignments(block->annotations)) {
      // A step after the one that annotated the block may have taken the buffer away from it.
      if (alignment.buffer < 0 || alignment.buffer >= std::ssize(*block->writes)) continue;
      const Buffer& buffer = (*block->writes)[static_cast<std::size_t>(alignment.buffer)].buffer;
      std::vector<StorageAlignment>& known = all[buffer->data];
      const bool is_known = std::any_of(known.begin(), known.end(), [&](const StorageAlignment& other) {
        return other.axis == alignment.axis;
      });
      alignment.buffer = 0;
      if (!is_known) known.push_back(alignment);
    }
  });
  return all;
}

/// What they say of how all memory that they write is filled, and lies.
using Hints = std::unordered_map<Var, Attributes>;

Hints hints_in(const Stmt& s) {
  Hints all;
  visit_stmts(s, [&](const Stmt& part) {
    const auto* block = part.as<Block>();
    if (block == nullptr) return;
    for (const char* key : {first_cache_key, row_swizzle_key})
      if (const auto hint = block->annotations.find(key); hint != block->annotations.end())
        for (const BufferRegion& region : *block->writes) all[region.buffer->data].insert(*hint);
  });
  return all;
}

Stmt with_wishes(const Stmt& s, const Alignments& alignments, const Hints& hints) {
  if (alignments.empty() && hints.empty()) return s;
  return rewrite(s, Rewriter{.stmt_after = [&](const Stmt& part) -> Stmt {
                   const auto* allocate = part.as<Allocate>();
                   if (allocate == nullptr) return part;
                   const auto aligned = alignments.find(allocate->data);
                   const auto hint = hints.find(allocate->data);
                   if (aligned == alignments.end() && hint == hints.end()) return part;
                   Allocate out = *allocate;
                   if (aligned != alignments.end())
                     out.annotations[storage_alignment_key] = attribute_of(aligned->second);
                   if (hint != hints.end()) out.annotations.insert(hint->second.begin(), hint->second.end());
                   return out;
                 }});
}

}  // namespace

Function place_allocations(const Function& f, const target::Target&) {
  Function out = arith::complete_regions(f);
  const Alignments alignments = alignments_in(out.body);
  const Hints hints = hints_in(out.body);
  out.body = with_wishes(placed(out.body, arith::facts_of(f)), alignments, hints);
  return arith::complete_regions(out);
}

}  // namespace ardea::lower
