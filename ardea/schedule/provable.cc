#include "ardea/schedule/provable.h"

#include <algorithm>

#include "ardea/schedule/scope.h"

namespace ardea::schedule {

bool is_hard_to_prove(const Function& program) {
  if (!shape_variables(program).empty()) return true;
  const std::vector<Path> blocks = all_blocks(program);
  return std::any_of(blocks.begin(), blocks.end(), [](const Path& path) {
    return block_at(path).predicate || block_around(path).size() > 1 ||
           std::any_of(path.begin(), path.end(), [](const Stmt& s) {
             const auto* loop = s.as<For>();
             return loop != nullptr && !constant_int(loop->extent);
           });
  });
}

}  // namespace ardea::schedule
