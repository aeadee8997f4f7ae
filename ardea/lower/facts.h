#pragma once

#include <functional>

#include "ardea/arith/inside.h"

namespace ardea::lower {

using arith::inside;
using arith::reads_memory;
using arith::where;

/// s over its visited parts, each with what holds inside it: the range of a loop, the value of a let, the
/// condition of a branch.
Stmt map_inside(const Stmt& s, const arith::Analyzer& facts,
                const std::function<Stmt(const Stmt&, const arith::Analyzer&)>& visit);

}  // namespace ardea::lower
