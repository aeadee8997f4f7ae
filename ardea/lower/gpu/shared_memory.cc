#include "ardea/lower/gpu/shared_memory.h"

#include <algorithm>

#include "ardea/arith/pipelined_loops.h"
#include "ardea/ir/row_swizzle.h"
#include "ardea/ir/traverse.h"
#include "ardea/limits/memory.h"
#include "ardea/limits/memory_in_turn.h"
#include "ardea/support/ceil_div.h"

namespace ardea::lower {

namespace {

/// The first byte, and the one behind the last.
const std::string block_bytes_key = "block_bytes";

/// With what align_strides will leave between rows.
std::int64_t size_of(const Allocate& allocate) {
  const arith::Analyzer none;
  const auto elements =
      constant_int(none.simplify(limits::allocated_elements(allocate, allocate.extents, false)));
  return allocate.type.bytes(elements.value());
}

}  // namespace

std::vector<Allocate> with_bytes_in_turn(const Stmt& launch, const std::unordered_set<Var>& kept) {
  std::vector<limits::NeededMemory> all = limits::memory_in_turn(launch);
  const bool shares = std::any_of(all.begin(), all.end(), [&](const limits::NeededMemory& one) {
    return !one.spans.empty() && !kept.contains(one.allocate.data);
  });
  std::vector<std::pair<limits::Spans, BlockBytes>> placed;
  std::vector<Allocate> out;
  for (limits::NeededMemory& one : all) {
    if (shares && !kept.contains(one.allocate.data)) {
      BlockBytes bytes;
      for (const auto& [spans, other] : placed)
        if (!are_apart(spans, one.spans))
          bytes.first = std::max(bytes.first, round_up(other.end, allocated_on(one.allocate.annotations)));
      bytes.end = bytes.first + size_of(one.allocate);
      placed.emplace_back(one.spans, bytes);
      one.allocate.annotations[block_bytes_key] =
          Attribute{std::vector<Attribute>{{make_int(bytes.first)}, {make_int(bytes.end)}}};
    }
    out.push_back(std::move(one.allocate));
  }
  return out;
}

std::optional<BlockBytes> bytes_of(const Allocate& allocate) {
  const auto at = allocate.annotations.find(block_bytes_key);
  const auto numbers = at == allocate.annotations.end() ? std::nullopt : arith::numbers_of(at->second);
  if (!numbers || numbers->size() != 2) return std::nullopt;
  return BlockBytes{(*numbers)[0], (*numbers)[1]};
}

BytesInCommon::BytesInCommon(const Stmt& s) {
  visit_stmts(s, [&](const Stmt& part) {
    const auto* allocate = part.as<Allocate>();
    if (allocate == nullptr) return;
    if (const auto bytes = bytes_of(*allocate)) bytes_.emplace(allocate->data, *bytes);
  });
}

bool BytesInCommon::are_there(const std::unordered_set<Var>& a, const std::unordered_set<Var>& b) const {
  if (bytes_.empty()) return false;
  return std::any_of(a.begin(), a.end(), [&](const Var& one) {
    const auto bytes = bytes_.find(one);
    return bytes != bytes_.end() && std::any_of(b.begin(), b.end(), [&](const Var& other) {
             const auto others = bytes_.find(other);
             return !(one == other) && others != bytes_.end() && bytes->second.meet(others->second);
           });
  });
}

}  // namespace ardea::lower
