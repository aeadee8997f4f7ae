#pragma once

#include <vector>

#include "ardea/arith/analyzer.h"
#include "ardea/target/target.h"

/// How large memory becomes that is as large as a whole tensor and of which a part is touched at a time: the
/// question apart from the rewriting (lower's compact_allocations), so that it can be asked of programs whose
/// factors are still variables.

namespace ardea::limits {

/// Which sizes to prefer. On a program without parameters both give the same.
enum class Sizes {
  exact,   ///< expressions over the parameters: what a size will be for each choice of factors
  number,  ///< a number where one bounds the size: memory of a known size needs no allocator
};

/// What is known outside of an allocation.
struct Surroundings {
  arith::Analyzer facts;
  std::vector<Var> pipelined = {};  ///< loops whose iterations' memory will stand outside of them
};

/// What holds in the statements directly inside s.
Surroundings inside(const Surroundings& around, const Stmt& s);

/// The part of a buffer that gets memory: along each dimension from `corner`, `shape` elements. An index less
/// its corner lies inside the shape wherever the program touches the buffer.
struct KeptBox {
  std::vector<Expr> corner = {}, shape = {};
  Expr row = {};         ///< of registers: the last extent before it is rounded up to whole registers
  bool is_whole = true;  ///< nothing changes
};

/// Of a buffer that is all of what an allocation holds (ir/layout.h, whole_view; else all is kept) the box
/// that its body touches: the smallest that is proved to serve all iterations of the loops around, at most
/// the whole extent. A halo counts unclipped: its size is an upper bound of what is touched at the edges.
/// Rows of registers are whole registers, so that the last vector of one may be a whole one under a mask. All
/// is kept where an address is given away, or an instruction does not take the strides that the box would
/// have.
KeptBox kept_box(const Allocate& allocate, const Surroundings& around, const target::Target& target,
                 Sizes sizes);

}  // namespace ardea::limits
