#include "ardea/schedule/analysis/element_function.h"

#include <fmt/core.h>

#include <algorithm>

#include "ardea/ir/intrinsics.h"
#include "ardea/ir/substitute.h"
#include "ardea/schedule/program/scope.h"
#include "ardea/schedule/program/touches.h"

namespace ardea::schedule {

namespace {

std::string kind_of(IteratorKind kind) {
  switch (kind) {
    case IteratorKind::spatial: return "a spatial";
    case IteratorKind::reduce: return "a reduce";
    case IteratorKind::ordered: return "an ordered";
    case IteratorKind::opaque: return "an opaque";
  }
  return "";
}

/// Whether e may be evaluated elsewhere, any number of times.
bool may_move(const Expr& e) {
  bool pure = !has_effect(e);
  visit_exprs(e, [&](const Expr& part) {
    const auto* call = part.as<Call>();
    pure = pure && !part.type().is_handle() && (call == nullptr || call->op->effect == Effect::pure);
  });
  return pure;
}

std::optional<Refusal> refuse_kinds(const Block& block) {
  if (block.init.defined())
    return Refusal{"not_spatial", fmt::format("block {} reduces: its element is complete only after the last "
                                              "of several instances",
                                              block.name)};
  for (const BlockIterator& iterator : block.iterators)
    if (iterator.kind != IteratorKind::spatial)
      return Refusal{"not_spatial",
                     fmt::format("block {} has {} iterator {}: its instances depend on one another",
                                 block.name, kind_of(iterator.kind), iterator.var.name())};
  return std::nullopt;
}

/// What is declared around the block is not known where its computation may go.
std::optional<Refusal> refuse_views(const ElementFunction& found) {
  for (std::size_t i = found.scope.size(); i < found.path.size(); ++i) {
    const auto* view = found.path[i].as<DeclareBuffer>();
    if (view == nullptr) continue;
    std::vector<Buffer> used = loaded_buffers(found.value);
    used.push_back(found.buffer);
    if (std::find(used.begin(), used.end(), view->buffer) != used.end())
      return Refusal{"view_around", fmt::format("block {} uses the view {}, which is declared around it and "
                                                "not known elsewhere",
                                                found.block().name, view->buffer->name)};
  }
  return std::nullopt;
}

}  // namespace

Expr fresh_copy(const Expr& e) {
  bool defines = false;
  visit_exprs(e, [&](const Expr& part) { defines = defines || part.is<Let>(); });
  return defines ? ardea::fresh_copy(Stmt(Evaluate{e})).as<Evaluate>()->value : e;
}

Result<ElementFunction> element_function(const Path& path) {
  const Block& block = path.block();
  if (path.size() == 1)
    return Refusal{"root_block", fmt::format("block {} is the root, which holds all others", block.name)};
  ARDEA_TRY(refuse_kinds(block));
  ElementFunction found{path, path.block_around(), {}, {}, {}};
  std::vector<const LetStmt*> lets;
  for (std::size_t i = found.scope.size(); i < path.size(); ++i)
    if (const auto* let = path[i].as<LetStmt>()) lets.push_back(let);
  Stmt body = block.body;
  while (const auto* let = body.as<LetStmt>()) {
    lets.push_back(let);
    body = let->body;
  }
  const auto* store = body.as<Store>();
  if (store == nullptr || store->predicate.defined() || store->value.type().lanes != 1 ||
      !block.matches.empty() || !block.allocations.empty())
    return Refusal{"not_one_store",
                   fmt::format("the body of block {} is not one store of one element", block.name)};
  found.buffer = store->buffer;
  found.indices = store->indices;
  found.value = store->value;
  for (std::size_t i = lets.size(); i-- > 0;) {
    for (Expr& index : found.indices) index = substitute(index, lets[i]->var, lets[i]->value);
    if (uses(found.value, lets[i]->var)) found.value = make_let(lets[i]->var, lets[i]->value, found.value);
  }
  bool movable = may_move(found.value);
  for (const Expr& index : found.indices) movable = movable && may_move(index);
  if (!movable)
    return Refusal{"has_effect",
                   fmt::format("block {} calls out, which must happen where it stands", block.name)};
  ARDEA_TRY(refuse_views(found));
  for (const Buffer& read : loaded_buffers(found.value))
    if (read->data == found.buffer->data)
      return Refusal{"reads_itself",
                     fmt::format("block {} reads {}, which it writes", block.name, found.buffer->name)};
  return found;
}

}  // namespace ardea::schedule
