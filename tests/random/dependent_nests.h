#pragma once

#include "ardea/ir/function.h"
#include "ardea/support/random.h"

namespace ardea::random_programs {

/// One or two nests of loops whose bounds and starts may depend on loops around them, with blocks that are
/// indexed, bound and guarded by products, quotients, remainders, least and greatest values of them;
/// iterators of all four kinds, wherever that is true and provable. Integers only, so that every order that
/// changes an answer is seen. Extents may be zero or negative, of several loops at once; blocks may leave
/// loops out of their bindings, and count by what they leave behind how often they ran. Throws InternalError
/// where `verify` accepts a reduction that counts elements twice.
///
/// What it cannot make, and why that is safe or what would widen it:
/// - symbolic extents: the campaign's other programs have them; a proof that depends on a number is wrong
///   with numbers, too, and only numbers can be enumerated here;
/// - bounds that read memory, gathers and scatters: tests/random has them, and `arith` treats them as
///   unknown;
/// - more than four loops, or three hundred iterations of a nest: all pairs of loops, and a third that both
///   depend on, come with fewer;
/// - views, matched buffers, nested blocks, vector code: tests/random has them in rectangular nests. What
///   would widen it is a row here for a block around the inner loops;
/// - spatial and reduce iterators beside a loop that is left out, where that loop runs more than once: such
///   blocks repeat instances, which `verify` refuses;
/// - reductions whose first instance does not run their init: what their answer is would depend on the order,
///   and no schedule promises to keep that;
/// - elements narrower than four bytes: conflicts of halves of a byte are tests/interp's.
Function dependent_nests(Random& random);

}  // namespace ardea::random_programs
