#pragma once

#include <utility>
#include <vector>

#include "ardea/arith/analyzer.h"

/// The parts of buffers that code touches, as boxes.

namespace ardea::arith {

/// A box of one buffer. `exact`: every element of the box is touched; else the box only contains what is
/// touched.
struct Touched {
  BufferRegion region;
  bool exact = false;
};

struct Accesses {
  std::vector<Touched> reads, writes;  ///< one box a buffer, in the order of first access
};

/// What s touches, relaxed over the loops that s itself contains: what remains are variables defined outside
/// s. A block inside counts by its declared regions (by its body where they are absent) under its bindings.
/// Buffers that s itself allocates are left out; a matched buffer counts as a part of its source; an alias
/// counts as itself.
Accesses accesses(const Stmt& s, const Analyzer& facts);

/// The box that `region` covers when `loops` run, clipped to the buffer where it cannot be proved inside.
Touched relax(const BufferRegion& region, const std::vector<std::pair<Var, Range>>& loops,
              const Analyzer& facts);

/// The smallest box around both: by the provably smaller bound, else by min and max.
Touched unite(const Touched& a, const Touched& b, const Analyzer& facts);

/// Whether every element of `inner` lies in `outer`.
Proof contains(const BufferRegion& outer, const BufferRegion& inner, const Analyzer& facts);
/// Whether no element lies in both.
Proof disjoint(const BufferRegion& a, const BufferRegion& b, const Analyzer& facts);

/// Fills in the absent `reads` and `writes` of every block from its body. As TVM has it, a reduction block's
/// read of the element that it updates is not listed among its reads where the block has an init.
Function complete_regions(const Function& f);
Module complete_regions(const Module& m);

}  // namespace ardea::arith
