#pragma once

#include <unordered_set>
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
/// Those of this buffer, and perhaps some of others.
Accesses accesses_of(const Buffer& buffer, const Stmt& s, const Analyzer& facts);
Accesses accesses_of(const std::unordered_set<Var>& memory, const Stmt& s, const Analyzer& facts);

/// The box of the buffer in a list with one a buffer; nothing where it has none.
std::optional<Touched> touched_box(const std::vector<Touched>& boxes, const Buffer& buffer);
/// The box around all that is read and written of it.
std::optional<Touched> touched_box(const Accesses& touched, const Buffer& buffer, const Analyzer& facts);

using LoopRange = std::pair<Var, Range>;

/// One place that touches memory, not yet united with the others.
struct Access {
  bool write = false;
  bool in_init = false;  ///< in the init of the block that was asked about
  /// By an address that the code gives away (to a call, or as a bare data handle): the box is the whole
  /// buffer, and nothing is known about what the receiver does with it. Counted once as a read and once as a
  /// write.
  bool opaque = false;
  bool conditional = false;  ///< under a condition that the facts do not decide
  /// Those of these conditions that name neither memory nor a loop inside what was asked about: for given
  /// variables outside, it happens only where all of them hold.
  std::vector<Expr> conditions = {};
  /// The same before anything was relaxed: the box of one iteration of `inner`, the loops inside what was
  /// asked about (outermost first), which happens only where all of `inner_conditions` hold.
  BufferRegion each;
  std::vector<LoopRange> inner = {};
  std::vector<Expr> inner_conditions = {};
  Analyzer facts;  ///< what holds where it happens, its conditions included
  Stmt statement;  ///< the store, the statement around the load, or the block inside

  /// What it touches while the loops inside run. Found out when it is asked for the first time: that costs
  /// more than all the rest, and many questions are answered without it.
  const Touched& touched() const;
  /// The same where all of `conditions` hold: they cut nothing off there, and what is exact is so there only.
  Touched touched_under_conditions() const;

  /// What that needs to know besides.
  struct Relaxing {
    bool exact = false;            ///< every element of `each` is touched, and no memory decides whether
    bool all_run = true;           ///< every loop inside has an iteration
    std::vector<Expr> conditions;  ///< all that the facts do not decide
    Analyzer stated_facts;         ///< what holds wherever a region is stated
    Analyzer outside;              ///< what holds around what was asked about
    std::optional<Touched> done;   ///< the answer
  };
  mutable Relaxing relaxing;
};

/// Every access of s, in program order; a store comes before the loads of its value, a load before those of
/// its indices.
std::vector<Access> each_access(const Stmt& s, const Analyzer& facts);
/// Those of this buffer, and perhaps some of others.
std::vector<Access> each_access_of(const Buffer& buffer, const Stmt& s, const Analyzer& facts);
/// One box a buffer of them.
Accesses united(const std::vector<Access>& each, const Analyzer& facts);
/// The same without the accesses of memory that s only reads: what two of its instances may disagree about.
std::vector<Access> each_access_of_written(const Stmt& s, const Analyzer& facts);

/// The same for the init and the body of a block, over its iterators, which `facts` need not know. Its own
/// allocations are left out, its matched buffers count as parts of their sources. Declared regions of the
/// block itself play no role.
std::vector<Access> each_access(const Block& block, const Analyzer& facts);
Accesses accesses(const Block& block, const Analyzer& facts);

/// facts, and the iterators of the block in their domains: what holds inside.
Analyzer facts_inside(const Block& block, const Analyzer& facts);

/// The box that `region` covers when `loops` (outermost first) run, clipped to the buffer where it cannot be
/// proved inside. A dimension that depends on none of the loops stays as it is.
Touched relax(const BufferRegion& region, const std::vector<LoopRange>& loops, const Analyzer& facts);

/// The same where only the iterations count in which all `conditions` hold. They may bound the box; it stays
/// exact where each of them cuts one dimension and nothing else.
Touched relax(const BufferRegion& region, const std::vector<LoopRange>& loops,
              const std::vector<Expr>& conditions, const Analyzer& facts);

/// The smallest box around both: by the provably smaller bound, else by min and max.
Touched unite(const Touched& a, const Touched& b, const Analyzer& facts);

/// Whether every element of `inner` lies in `outer`.
Proof contains(const BufferRegion& outer, const BufferRegion& inner, const Analyzer& facts);
/// Whether no element lies in both.
Proof disjoint(const BufferRegion& a, const BufferRegion& b, const Analyzer& facts);

/// Fills in the absent `reads` and `writes` of every block from its body. As TVM has it, a reduction block's
/// read of the element that it updates is not listed among its reads where the block has an init, and the
/// root block lists nothing.
Function complete_regions(const Function& f);
Module complete_regions(const Module& m);

}  // namespace ardea::arith
