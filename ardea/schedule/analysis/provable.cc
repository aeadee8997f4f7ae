#include "ardea/schedule/analysis/provable.h"

#include <algorithm>

#include "ardea/ir/traverse.h"
#include "ardea/schedule/program/scope.h"

namespace ardea::schedule {

namespace {

/// Whether what the block writes is told apart by // and %.
bool writes_digits(const Block& block) {
  if (!block.writes) return false;
  bool found = false;
  for (const BufferRegion& region : *block.writes)
    for (const Range& range : region.region)
      visit_exprs(range.min, [&](const Expr& e) {
        const auto* node = e.as<Binary>();
        found = found ||
                (node != nullptr && (node->op == BinaryOp::floor_div || node->op == BinaryOp::floor_mod));
      });
  return found;
}

}  // namespace

bool is_hard_to_prove(const Function& program) {
  if (!shape_variables(program).empty()) return true;
  const std::vector<Path> blocks = all_blocks(program);
  return std::any_of(blocks.begin(), blocks.end(), [](const Path& path) {
    return path.block().predicate.defined() || path.block_around().size() > 1 ||
           writes_digits(path.block()) || std::any_of(path.begin(), path.end(), [](const Stmt& s) {
             const auto* loop = s.as<For>();
             return loop != nullptr && !constant_int(loop->extent);
           });
  });
}

}  // namespace ardea::schedule
