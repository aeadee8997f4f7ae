#pragma once

#include <ranges>
#include <utility>
#include <vector>

#include "ardea/ir/stmt.h"

namespace ardea {

/// for loops[0]: for loops[1]: … body. The bodies that the loops have are lost.
inline Stmt in_loops(std::vector<For> loops, Stmt body) {
  for (For& loop : std::views::reverse(loops)) {
    loop.body = std::move(body);
    body = std::move(loop);
  }
  return body;
}

}  // namespace ardea
