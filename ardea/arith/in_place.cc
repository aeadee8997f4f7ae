#include "ardea/arith/in_place.h"

#include <algorithm>

#include "ardea/arith/allocation_site.h"
#include "ardea/arith/distances.h"
#include "ardea/arith/inside.h"
#include "ardea/arith/regions.h"
#include "ardea/ir/substitute.h"

namespace ardea::arith {

namespace {

/// The loops around the statements that do the work, and these.
struct Nest {
  std::vector<LoopRange> loops;
  std::vector<Stmt> parts;
};

/// Nothing where a bound or a condition on the way reads the memory.
std::optional<Nest> nest_of(const Stmt& s, const Var& from) {
  Nest nest;
  Stmt at = s;
  while (true) {
    const auto* loop = at.as<For>();
    const auto* branch = at.as<If>();
    if (loop != nullptr) {
      for (const Expr& bound : {loop->min, loop->extent})
        if (reads_memory(bound) || std::any_of(nest.loops.begin(), nest.loops.end(),
                                               [&](const LoopRange& l) { return uses(bound, l.first); }))
          return std::nullopt;
      nest.loops.emplace_back(loop->var, Range{loop->min, loop->extent});
      at = loop->body;
    } else if (branch != nullptr && !branch->else_case.defined()) {
      if (touches(Evaluate{branch->condition}, from)) return std::nullopt;
      at = branch->then_case;
    } else {
      break;
    }
  }
  const auto* sequence = at.as<Seq>();
  nest.parts = sequence == nullptr ? std::vector<Stmt>{at} : sequence->statements;
  return nest;
}

/// A store, perhaps of values that have names: everything is read before anything is written.
bool is_store(const Stmt& s) {
  const auto* let = s.as<LetStmt>();
  return let == nullptr ? s.is<Store>() : is_store(let->body);
}

/// Whether no statement after the first that writes `to` touches `from`, and that one writes after it reads.
bool reads_first(const std::vector<Stmt>& parts, const Var& from, const Var& to) {
  bool written = false;
  for (const Stmt& part : parts) {
    if (written && touches(part, from)) return false;
    if (!touches(part, to)) continue;
    if (touches(part, from) && !is_store(part)) return false;
    written = true;
  }
  return true;
}

bool stand_still(const std::vector<Signs>& distance) {
  return std::none_of(distance.begin(), distance.end(),
                      [](const Signs& signs) { return signs.negative || signs.positive; });
}

}  // namespace

bool may_write_in_place(const Stmt& s, const Var& from, const Var& to, const Analyzer& facts) {
  const auto nest = nest_of(s, from);
  if (!nest || !reads_first(nest->parts, from, to)) return false;
  Analyzer inner = facts;
  for (const auto& [var, range] : nest->loops) inner.bind(var, range);
  std::vector<Access> reads, writes;
  for (const Stmt& part : nest->parts)
    for (Access& access : each_access(part, inner)) {
      const Buffer& buffer = access.each.buffer;
      if (!(buffer->data == from) && !(buffer->data == to)) continue;
      if (access.opaque || buffer->shape.size() != 1 || (buffer->data == from && access.write)) return false;
      if (buffer->data == from) reads.push_back(access);
      if (buffer->data == to && access.write) writes.push_back(access);
    }
  return std::all_of(reads.begin(), reads.end(), [&](const Access& read) {
    return std::all_of(writes.begin(), writes.end(), [&](const Access& write) {
      // As if both were of one buffer: where do they touch the same element?
      const BufferRegion target{read.each.buffer, write.touched().region.region};
      return stand_still(distances(read.touched().region, target, nest->loops, facts));
    });
  });
}

}  // namespace ardea::arith
