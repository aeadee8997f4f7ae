#include "ardea/interp/shared_nodes.h"

#include "ardea/ir/intrinsics.h"
#include "ardea/ir/traverse.h"

namespace ardea::interp {

namespace {

void collect(const Expr& e, SharedNodes::Set& seen, SharedNodes::Set& shared) {
  for_each_child(e, [&](const Expr& part) {
    if (part.is<IntImm>() || part.is<FloatImm>() || part.is<StringImm>() || part.is<VarNode>()) return;
    if (seen.insert(part).second)
      collect(part, seen, shared);
    else
      shared.insert(part);
  });
}

}  // namespace

const SharedNodes::Set& SharedNodes::of(const Expr& e) {
  const auto [at, is_new] = known_.try_emplace(e);
  if (is_new && !has_effect(e)) {
    Set seen;
    collect(e, seen, at->second);
  }
  return at->second;
}

}  // namespace ardea::interp
