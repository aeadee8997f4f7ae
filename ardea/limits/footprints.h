#pragma once

#include <string>
#include <vector>

#include "ardea/ir/function.h"
#include "ardea/target/target.h"

/// How much cached memory a nest works on: soft facts for who compares programs, and constraints for who
/// wants them to be.

namespace ardea::limits {

/// A block and the loops around it, outermost first.
struct Nest {
  std::string block;
  std::vector<Var> loops;
};

/// Of every block that holds no other, in the order of the program.
std::vector<Nest> nests_of(const Function& blocks);

/// What one iteration of a loop touches that comes back to memory in its next iteration. What comes back is
/// found in the cache of this level where all that was touched in between fits into it.
struct Footprint {
  std::string block;
  int level = 1;
  Var loop;
  Expr bytes;  ///< over the parameters, at most; undefined where no bound is known
};

/// For each nest, from the inside outwards, the first loop that touches the same cached memory again belongs
/// to the nearest cache, the next to the one after it, as many as the target has; a nest with fewer such
/// loops has fewer footprints. What is vectorized or unrolled is one iteration. Bytes are of the boxes around
/// what is touched, of all that the loop holds, registers left out; memory made inside counts once.
///
/// Which loops these are depends on index expressions and on no number. `placed` is the program of the nests
/// after lower/limits_of.h has placed its memory.
std::vector<Footprint> footprints_of(const Function& placed, const std::vector<Nest>& nests,
                                     const target::Target& target);

}  // namespace ardea::limits
