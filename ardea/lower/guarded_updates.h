#pragma once

#include "ardea/arith/analyzer.h"
#include "ardea/ir/stmt.h"

namespace ardea::lower {

/// A[i] = A[i] op (v if c else e)   ⇒   if c: A[i] = A[i] op v
/// where x op e is x for every x, or for every one that may be in A (+0 is added to a sum that began at
/// +0), and c reads no memory: a point that a sum leaves out has nothing to do
/// there, which a condition around the update says and a value that changes nothing does not. What such
/// conditions decide then goes the way of all guards (partition_loops), but that of lanes of register tiles:
/// there c stands under T.likely, which says that other accesses to the tile are not under it.
Stmt guarded_updates(const Stmt& s, const arith::Analyzer& facts);

}  // namespace ardea::lower
