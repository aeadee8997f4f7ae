#include "ardea/ir/pragmas.h"

#include "ardea/ir/traverse.h"

namespace ardea {

namespace {

/// `pragmas` without the keys that `nearer` has.
Attributes without(Attributes pragmas, const Attributes& nearer) {
  for (const auto& [key, value] : nearer) pragmas.erase(key);
  return pragmas;
}

Stmt handed_down(const Attributes& pragmas, const Stmt& s) {
  if (const auto* loop = s.as<For>()) {
    const Attributes missing = without(pragmas, loop->annotations);
    if (missing.empty()) return s;
    For out = *loop;
    out.annotations.insert(missing.begin(), missing.end());
    return out;
  }
  const auto* block = s.as<Block>();
  const Attributes inside = block == nullptr ? pragmas : without(pragmas, block->annotations);
  return map_children(s, Mapper{.stmt = [&](const Stmt& part) { return handed_down(inside, part); }});
}

}  // namespace

Stmt hand_down_pragmas(const Attributes& annotations, const Stmt& body) {
  Attributes pragmas;
  for (const auto& [key, value] : annotations)
    if (key.starts_with("pragma_")) pragmas.emplace(key, value);
  return pragmas.empty() ? body : handed_down(pragmas, body);
}

}  // namespace ardea
