#include "ardea/rules/analysis/consumers.h"

#include "ardea/ir/traverse.h"
#include "ardea/rules/analysis/stage.h"
#include "ardea/schedule/program/tree.h"

namespace ardea::rules {

namespace {

/// Whether every load of the buffer in the value is of these indices.
bool loads_only(const Expr& value, const Buffer& buffer, const std::vector<Expr>& indices) {
  bool only = true;
  visit_exprs(value, [&](const Expr& e) {
    const auto* load = e.as<Load>();
    if (load != nullptr && load->buffer == buffer) only = only && load->indices == indices;
  });
  return only;
}

}  // namespace

std::optional<schedule::BlockRef> elementwise_consumer(const Function& program, const Buffer& buffer) {
  if (is_parameter(program, buffer)) return std::nullopt;
  std::optional<schedule::BlockRef> found;
  for (const schedule::Path& path : schedule::all_blocks(program)) {
    const Block& block = path.block();
    if (writes(block, buffer) || !reads(block, buffer)) continue;
    const auto* store = block.body.as<Store>();
    if (found || !is_spatial(block) || store == nullptr || !loads_only(store->value, buffer, store->indices))
      return std::nullopt;
    found = schedule::BlockRef{block.id};
  }
  return found;
}

}  // namespace ardea::rules
