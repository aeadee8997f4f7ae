#pragma once

#include "ardea/ir/stmt.h"

namespace ardea::codegen {

/// Whether every place that s loads from or stores to is a sum of products of variables and numbers, at least
/// 32 bits wide and signed, or the least or greatest of such.
///
/// Only loops of such statements are left to LLVM's loop vectorizer. It also takes places that go round, such
/// as A[i * 3 % 64] or those of products that wrap in eight bits, for places a stride apart, and is to check
/// first that they do not go round; LLVM 19.1.7 loses that check where the walk begins at 0, so that groups
/// of neighbours are loaded from behind the end.
bool has_plain_indices(const Stmt& s);

}  // namespace ardea::codegen
