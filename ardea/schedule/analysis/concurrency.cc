#include "ardea/schedule/analysis/concurrency.h"

#include <fmt/core.h>

#include <algorithm>

#include "ardea/arith/dependence.h"
#include "ardea/arith/filled_alike.h"
#include "ardea/arith/inside.h"
#include "ardea/arith/regions_linear.h"
#include "ardea/ir/print.h"
#include "ardea/ir/substitute.h"
#include "ardea/ir/traverse.h"
#include "ardea/schedule/program/memory_use.h"

namespace ardea::schedule {

namespace {

/// The first conflict that the loop carries, on any memory that `counts`.
template <class Counts>
std::optional<arith::Conflict> carried(const For& loop, const arith::Analyzer& facts, const Counts& counts) {
  const std::vector<arith::LoopRange> range = {{loop.var, Range{loop.min, loop.extent}}};
  for (arith::Conflict& conflict : conflicts(loop.body, range, facts, true))
    if (carries(conflict, 0) && counts(conflict.first.buffer)) return std::move(conflict);
  return std::nullopt;
}

bool has_halves_of_bytes(const Buffer& buffer) {
  const DataType type = buffer->type;
  return !type.is_bool() && type.bits * type.lanes < 8;
}

/// The bytes that hold the elements of a region of halves of bytes, as elements: all of the buffer where rows
/// or views may begin in mid-byte.
BufferRegion in_whole_bytes(const BufferRegion& region, const arith::Analyzer& facts) {
  const Buffer& buffer = region.buffer;
  const Expr two = make_int(2);
  const bool rows_fill_bytes =
      buffer->shape.size() == 1 ||
      facts.proves(equals(floor_mod(arith::as_index(buffer->shape.back()), two), make_int(0)));
  if (!rows_fill_bytes || !buffer->strides.empty() || buffer->shape.empty()) return whole_region(buffer);
  BufferRegion bytes = region;
  const Range& last = region.region.back();
  const Expr min = arith::as_index(last.min), end = min + arith::as_index(last.extent);
  const Expr first_byte = facts.simplify(floor_div(min, two));
  bytes.region.back() = {facts.simplify(first_byte * two),
                         facts.simplify((floor_div(end + 1, two) - first_byte) * two)};
  return bytes;
}

/// A store of half a byte rewrites the other half (docs/semantics.md): threads that store different halves of
/// one byte meet there, though lanes, which are stored together, do not.
template <class Counts>
std::optional<arith::Conflict> carried_in_bytes(const For& loop, const arith::Analyzer& facts,
                                                const Counts& counts) {
  const std::vector<Buffer> used = buffers_in(loop.body);
  if (std::none_of(used.begin(), used.end(), has_halves_of_bytes)) return std::nullopt;
  const std::vector<arith::LoopRange> range = {{loop.var, Range{loop.min, loop.extent}}};
  arith::Analyzer inner = facts;
  inner.bind(loop.var, range[0].second);
  struct Bytes {
    BufferRegion region;
    bool write = false;
  };
  std::vector<Bytes> touched;
  for (const arith::Access& access : arith::each_access_of_written(loop.body, inner))
    if (has_halves_of_bytes(access.each.buffer))
      touched.push_back({in_whole_bytes(access.touched().region, inner), access.write});
  for (std::size_t i = 0; i < touched.size(); ++i)
    for (std::size_t j = i; j < touched.size(); ++j) {
      const BufferRegion &a = touched[i].region, &b = touched[j].region;
      if (!(a.buffer == b.buffer) || (!touched[i].write && !touched[j].write) || !counts(a.buffer)) continue;
      arith::Conflict conflict{a, b, arith::distances(a, b, range, facts)};
      if (carries(conflict, 0)) return conflict;
    }
  return std::nullopt;
}

/// The first place, in any memory that `counts`, where iterations of the loop meet when they run as `kind`
/// says: elements, and of threads also the bytes that hold them.
template <class Counts>
std::optional<arith::Conflict> meeting(const For& loop, ForKind kind, const arith::Analyzer& facts,
                                       const Counts& counts) {
  auto conflict = carried(loop, facts, counts);
  if (!conflict && may_own_memory(kind)) conflict = carried_in_bytes(loop, facts, counts);
  return conflict;
}

/// Whether the buffer is what threads reduce over the loop, and nothing else touches it there.
bool is_combined(const For& loop, const std::string& thread, const Buffer& buffer);

/// Whether threads may share the buffer though each iteration of their loop fills it: all fill it alike, and
/// lowering has it filled once for all of them. Virtual threads, which one thread runs interleaved, find in
/// it what each of them would.
bool is_filled_for_all(const For& loop, const std::string& thread, const Buffer& buffer,
                       const arith::Analyzer& facts) {
  return (thread.starts_with("threadIdx.") || thread.starts_with("vthread")) &&
         arith::filled_alike(loop, buffer, facts);
}

/// How many iterations apart a meeting is looked for that is certain.
constexpr std::int64_t certain_distance = 4;

BufferRegion in_iteration(const BufferRegion& region, const For& loop, std::int64_t iteration) {
  const Substitution at = {{loop.var, loop.min + make_int(iteration, loop.min.type())}};
  BufferRegion there = region;
  for (Range& range : there.region) range = {substitute(range.min, at), substitute(range.extent, at)};
  return there;
}

/// Whether two iterations are known to meet in the buffer: the first one and one of the next touch all of two
/// boxes, one of them by a write, that have an element in common. They may meet where this is not known, too.
bool certainly_meet(const For& loop, const Buffer& buffer, const arith::Analyzer& facts) {
  arith::Analyzer inner = facts;
  inner.bind(loop.var, Range{loop.min, loop.extent});
  std::vector<arith::Access> accesses = arith::each_access_of_written(loop.body, inner);
  std::erase_if(accesses, [&](const arith::Access& access) {
    return !(access.each.buffer == buffer) || access.opaque || access.conditional || !access.touched().exact;
  });
  for (std::int64_t distance = 1; distance <= certain_distance; ++distance) {
    if (!facts.proves(loop.extent > make_int(distance, loop.extent.type()))) return false;
    for (const arith::Access& first : accesses)
      for (const arith::Access& second : accesses)
        if ((first.write || second.write) &&
            arith::disjoint(in_iteration(first.touched().region, loop, 0),
                            in_iteration(second.touched().region, loop, distance),
                            facts) == arith::Proof::refuted)
          return true;
  }
  return false;
}

}  // namespace

bool is_concurrent(ForKind kind) { return kind != ForKind::serial && kind != ForKind::unrolled; }

std::optional<Refusal> refuse_carried(const Function& f, const FoundLoop& found, ForKind kind,
                                      const std::string& thread) {
  std::optional<OwnMemory> own;
  const auto is_shared = [&](const Buffer& buffer) {
    if (!own) {
      For loop = *found.loop;
      loop.kind = kind;
      if (!thread.empty()) loop.thread = thread;
      own.emplace(with(f, found.path, std::move(loop)));
    }
    return !own->has(found.loop->var, buffer) &&
           !is_combined(*found.loop, thread.empty() ? found.loop->thread : thread, buffer) &&
           !is_filled_for_all(*found.loop, thread.empty() ? found.loop->thread : thread, buffer, found.facts);
  };
  const auto conflict = meeting(*found.loop, kind, found.facts, is_shared);
  if (!conflict) return std::nullopt;
  const bool is_certain = certainly_meet(*found.loop, conflict->first.buffer, found.facts);
  return Refusal{"loop_carries_dependence",
                 fmt::format("iterations of loop {} {}: {} and {}", found.loop->var.name(),
                             is_certain ? "touch the same memory"
                                        : "may touch the same memory, it is not proved that they do not",
                             print(conflict->first), print(conflict->second))};
}

std::optional<ReducedBy> reduced_by(const For& loop) {
  std::optional<ReducedBy> found;
  visit_stmts(loop.body, [&](const Stmt& s) {
    const auto* block = s.as<Block>();
    if (block == nullptr || found) return;
    for (const BlockIterator& iterator : block->iterators)
      if (!found && iterator.kind == IteratorKind::reduce && uses(iterator.binding, loop.var))
        found = ReducedBy{block, iterator.var};
  });
  return found;
}

namespace {

/// The block at the end of a chain of loops; nullptr where something else stands in it.
const Block* alone_in(const For& loop) {
  const Stmt* inside = &loop.body;
  while (const auto* inner = inside->as<For>()) inside = &inner->body;
  return inside->as<Block>();
}

bool feeds(const For& loop, const Block& block, bool reduce) {
  return std::any_of(block.iterators.begin(), block.iterators.end(), [&](const BlockIterator& iterator) {
    return (iterator.kind == IteratorKind::reduce) == reduce && uses(iterator.binding, loop.var);
  });
}

/// The block that reduces over the loop, where threads can combine its parts.
const Block* combined_in(const For& loop) {
  const Block* block = alone_in(loop);
  const auto* store = block == nullptr ? nullptr : block->body.as<Store>();
  const bool can = store != nullptr && arith::is_commutative_update(*block, store->buffer) &&
                   feeds(loop, *block, true) && !feeds(loop, *block, false);
  return can ? block : nullptr;
}

bool is_combined(const For& loop, const std::string& thread, const Buffer& buffer) {
  const Block* block = thread.starts_with("threadIdx.") ? combined_in(loop) : nullptr;
  return block != nullptr && block->body.as<Store>()->buffer == buffer;
}

}  // namespace

bool threads_can_combine(const Path& path, const std::string& thread) {
  const Block* block = combined_in(path.loop());
  if (block == nullptr || !thread.starts_with("threadIdx.")) return false;
  // Loops outside, too, over which it reduces.
  return std::all_of(path.begin(), path.end(), [&](const Stmt& s) {
    const auto* loop = s.as<For>();
    return loop == nullptr || !feeds(*loop, *block, true) || combined_in(*loop) == block;
  });
}

std::optional<Refusal> with_rfactor(std::optional<Refusal> refusal, const For& loop) {
  if (!refusal) return refusal;
  const std::optional<ReducedBy> reduced = reduced_by(loop);
  // Without its init a reduction has no neutral element to start partial results from.
  if (reduced && reduced->block->init.defined())
    refusal->way_out = [name = loop.var.name(), block = reduced->block->name] {
      return fmt::format(
          "rfactor(loop={}) first gives each iteration a partial result of block {} of its own", name, block);
    };
  return refusal;
}

std::optional<Refusal> refuse_races_around(const Function& f, const Path& path) {
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    const auto* loop = path[i].as<For>();
    if (loop == nullptr || !is_concurrent(loop->kind)) continue;
    const Path around = path.upto(i);
    ARDEA_TRY(refuse_carried(f, {around, loop, around.facts(f)}, loop->kind));
  }
  return std::nullopt;
}

std::optional<Refusal> refuse_lost_privacy(OwnMemory& before, OwnMemory& after) {
  if (before.program().body == after.program().body) return std::nullopt;
  std::optional<std::vector<Buffer>> known;
  for (const Path& path : after.loops()) {
    const For& loop = path.loop();
    std::vector<Buffer> lost = allocated_around(path);
    if (lost.empty()) continue;
    const auto old = path_to(before.program(), LoopRef{loop.var});
    const bool is_as_it_was = old && old->back() == path.back();
    const auto is_lost = [&](const Buffer& buffer) {
      if (is_as_it_was)  // the first condition is quick to see, the rest of its memory holds as it did
        return before.is_used_in_alone(loop.var, buffer) && !after.is_used_in_alone(loop.var, buffer) &&
               before.has(loop.var, buffer);
      if (after.has(loop.var, buffer)) return false;
      // A loop that is new, such as a copy, may count on any of the memory around it, and a buffer that the
      // step made may stand for one that each iteration had for itself.
      if (!old) return true;
      if (!known) known = buffers_in(before.program().body);
      return before.has(loop.var, buffer) || !contains(*known, buffer);
    };
    std::erase_if(lost, [&](const Buffer& buffer) { return !is_lost(buffer); });
    if (lost.empty()) continue;
    const arith::Analyzer facts = path.facts(after.program());
    const auto conflict = meeting(loop, loop.kind, facts, [&](const Buffer& b) {
      return contains(lost, b) && !is_combined(loop, loop.thread, b) &&
             !is_filled_for_all(loop, loop.thread, b, facts);
    });
    if (!conflict) continue;
    return Refusal{
        "memory_becomes_shared",
        fmt::format("the iterations of loop {} run at the same time, and {} would no longer be proved to be "
                    "each one's own",
                    loop.var.name(), conflict->first.buffer->name),
        {},
        [name = loop.var.name()] { return fmt::format("take this step before loop {} is marked", name); }};
  }
  return std::nullopt;
}

}  // namespace ardea::schedule
