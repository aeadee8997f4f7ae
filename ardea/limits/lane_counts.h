#pragma once

#include <vector>

#include "ardea/ir/stmt.h"
#include "ardea/target/target.h"

/// How many iterations of a vectorized loop become the lanes of one vector.

namespace ardea::limits {

/// `rounds` vectors of `lanes` lanes each, one after another; the last one has only `used` of its lanes.
struct LanePiece {
  std::int64_t rounds = 1;
  int lanes = 1;
  int used = 1;
};

/// The bits of the numbers that fill a vector of the target. The widest that the body moves between memory
/// and registers or converts to; what is narrower than a byte counts as one, floats of 16 and fewer bits as
/// the float32 in which they are computed, where they are not only moved. A GPU computes lane by lane, and
/// only its accesses of memory have a width: there it is the narrowest number in memory that others see, too,
/// so that as much of it moves at once as may, and wider ones in several accesses.
int lane_bits(const Stmt& body, const target::Target& target);

/// Lanes of `bits` that one vector register of the target holds; at least 2.
int register_lanes(int bits, const target::Target& target);

/// Whether the target reads and writes single lanes of a vector by a mask: where it does not, a mask becomes
/// a branch a lane.
bool has_lane_masks(int bits, const target::Target& target);

/// What becomes of the iterations that are left over from whole vectors.
enum class Rest {
  narrower,  ///< vectors of powers of two lanes, as many as it needs
  masked,    ///< one vector of the next power of two under a mask
  whole,     ///< one of a whole register under a mask
};

/// Whether s touches memory of scope "register".
bool uses_registers(const Stmt& s);

/// A mask where the target has masks. In code on register tiles a mask on every target, since there is room
/// for one vector, and since the masks mostly go away (drop_masks); and vectors of one width on targets with
/// masks, because LLVM spills where it mixes widths. What only moves between tiles, as the halves of a sum
/// that are put together, is as narrow as it is.
Rest rest_of(const Stmt& body, int bits, const target::Target& target);

/// How many registers one vector may fill, and whether longer loops run in vectors of so many.
struct Width {
  int registers = 1;
  bool repeated = false;
};

/// A body with loops inside runs them once for all that it may, since each of their iterations waits for the
/// one before. Functions such as exp are long chains of steps that wait for each other: in a wide vector the
/// steps of its registers alternate, which narrow registers need more than wide ones. Any other body is as
/// good in vectors of one register, which C compilers prefer.
Width width_of(const For& loop, const target::Target& target);

/// An extent that is a power of two and fills at most `width.registers` is one vector, unless its rest is to
/// be whole. Any other is cut into vectors of one register, or of the width where that is repeated, and what
/// `rest` makes of the remainder.
std::vector<LanePiece> lane_pieces(std::int64_t extent, int bits, Width width, Rest rest,
                                   const target::Target& target);

}  // namespace ardea::limits
