#include "ardea/arith/touching_parts.h"

#include <algorithm>
#include <functional>

#include "ardea/ir/traverse.h"

namespace ardea::arith {

TouchingParts::TouchingParts(const Stmt& s, std::unordered_set<Var> memory) : memory_(std::move(memory)) {
  visit(s);
}

bool TouchingParts::visit(const Stmt& s) {
  if (!seen_.insert(s.get())) return may_touch(s);
  const auto* block = s.as<Block>();
  names_memory_ = names_memory_ && (block == nullptr || block->matches.empty());
  bool touches = mentions(s);
  const auto expr = [&](const Expr& e) { touches |= visit(e); };
  const auto stmt = [&](const Stmt& part) { touches |= visit(part); };
  for_each_child(s, std::ref(expr), std::ref(stmt));  // functions that need no memory of their own
  if (touches) touching_.insert(s.get());
  return touches;
}

bool TouchingParts::visit(const Expr& e) {
  names_memory_ = names_memory_ && !e.type().is_handle();
  if (e.is<VarNode>() || e.is<IntImm>() || e.is<FloatImm>()) return false;
  if (!seen_.insert(e.get())) return touching_.contains(e.get());
  const auto* load = e.as<Load>();
  bool touches = load != nullptr && is_asked_about(load->buffer);
  const auto expr = [&](const Expr& part) { touches |= visit(part); };
  for_each_child(e, std::ref(expr));
  if (touches) touching_.insert(e.get());
  return touches;
}

bool TouchingParts::mentions(const std::optional<std::vector<BufferRegion>>& regions) const {
  return regions && std::any_of(regions->begin(), regions->end(),
                                [&](const BufferRegion& region) { return is_asked_about(region.buffer); });
}

bool TouchingParts::mentions(const Stmt& s) const {
  if (const auto* store = s.as<Store>()) return is_asked_about(store->buffer);
  if (const auto* declare = s.as<DeclareBuffer>()) return is_asked_about(declare->buffer);
  if (const auto* allocate = s.as<Allocate>()) return memory_.contains(allocate->data);
  const auto* block = s.as<Block>();
  if (block == nullptr) return false;
  return mentions(block->reads) || mentions(block->writes) ||
         std::any_of(block->allocations.begin(), block->allocations.end(),
                     [&](const Buffer& buffer) { return is_asked_about(buffer); });
}

}  // namespace ardea::arith
