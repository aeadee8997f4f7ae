#pragma once

#include "ardea/arith/analyzer.h"

namespace ardea::arith {

/// Whether `s` computes the same when what it writes to `to` goes to the memory of `from` instead, element by
/// element: both have one dimension and one type, s does not write `from`, and an element of `from` is read
/// in no iteration but the one that writes the same element of `to`, and there before it is written. So the
/// iterations may also run at the same time, or as lanes. Answers false where it cannot prove it.
bool may_write_in_place(const Stmt& s, const Var& from, const Var& to, const Analyzer& facts);

}  // namespace ardea::arith
