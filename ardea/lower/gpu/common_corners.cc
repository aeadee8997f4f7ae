#include "ardea/lower/gpu/common_corners.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "ardea/ir/traverse.h"

namespace ardea::lower {

namespace {

/// Corners that are as many, and as far apart.
bool go_alike(const WindowUse& a, const WindowUse& b) {
  const auto form = [](const WindowCopy& copy) {
    return std::tie(copy.images, copy.extents, copy.channels, copy.steps, copy.box_windows,
                    copy.box_channels);
  };
  if (a.array != b.array || form(a.copy) != form(b.copy)) return false;
  for (std::size_t d = 0; d < a.copy.dimensions(); ++d)
    if (a.copy.upper[d] - a.copy.lower[d] != b.copy.upper[d] - b.copy.lower[d]) return false;
  return true;
}

WindowCopy from_corner(WindowCopy copy, std::size_t d, std::int64_t lower) {
  const std::int64_t later = copy.lower[d] - lower;
  copy.lower[d] -= later, copy.upper[d] -= later;
  copy.corner[d] = copy.corner[d] - later;
  copy.tap[d] = copy.tap[d] + later;
  return copy;
}

}  // namespace

Stmt with_common_corners(const Stmt& s, const std::vector<WindowUse>& uses) {
  std::unordered_map<Expr, Expr> moved;
  for (const WindowUse& use : uses) {
    WindowCopy copy = use.copy;
    const WindowLimits limits = window_limits(copy.dimensions());
    for (std::size_t d = 0; d < copy.dimensions(); ++d) {
      std::int64_t least = copy.lower[d];
      for (const WindowUse& other : uses)
        if (go_alike(use, other)) least = std::min(least, other.copy.lower[d]);
      if (use.farthest[d] + copy.lower[d] - least <= limits.farthest_tap) copy = from_corner(copy, d, least);
    }
    const auto& arguments = use.call.as<Call>()->arguments;
    moved.emplace(use.call, make_window_copy(arguments[0], arguments[1], copy));
  }
  if (moved.empty()) return s;
  return rewrite(s, Rewriter{.expr = [&](const Expr& e) -> std::optional<Expr> {
                   const auto at = moved.find(e);
                   return at == moved.end() ? std::nullopt : std::optional(at->second);
                 }});
}

}  // namespace ardea::lower
