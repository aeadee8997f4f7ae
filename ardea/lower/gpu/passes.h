#pragma once

#include "ardea/ir/function.h"
#include "ardea/target/target.h"

/// The passes that only GPUs need, in the order in which pipeline.cc runs them. As all others they keep the
/// answers of the interpreter, which from unify_thread_bindings on runs the threads concurrently.

namespace ardea::lower {

/// What a block reduces over loops of threads, each thread adds up by itself, a part in its own memory; the
/// parts lie in shared memory, and a loop marked as such (thread_reductions.h) combines them. The block
/// stands alone in the loops that it reduces over.
Function spread_reductions(const Function& f, const target::Target& target);

/// Everything stands in a launch, and the iterations of loops that are bound to threads touch no memory in
/// common. Changes nothing; Error where it does not hold, or is not proved.
Function independent_threads(const Function& f, const target::Target& target);

/// A launch is one nest of loops over blocks and threads, one of a tag, around what every thread does: loops
/// with one tag, sequences and lengths of their own, have become conditions on its threads. Threads run
/// concurrently from here on (the attribute "concurrent_threads"), with a barrier wherever one part ends:
/// drop_barriers takes away those that nothing needs. Shared memory is allocated around all that a block
/// does.
Function unify_thread_bindings(const Function& f, const target::Target& target);

/// The threads combine their parts together: in a warp by shuffles, each time half as many, then those of
/// warps by way of shared memory. Where warps hold parts of several groups, which are no power of two, one
/// thread goes on to combine them in a loop.
Function combine_by_shuffles(const Function& f, const target::Target& target);

/// Barriers stand only where a thread may touch what another one has touched since the one before, at least
/// one of the two by writing.
Function drop_barriers(const Function& f, const target::Target& target);

/// Where the target has a copy engine: groups and waits stand where what a pipeline brings to shared memory
/// ahead of time could be under way while threads compute. Changes nothing else.
Function place_copy_waits(const Function& f, const target::Target& target);

/// Barriers across which only lanes of one warp meet in memory wait for that warp alone. What stands behind a
/// wait for copies stays as it is: where those began says nothing of when they land.
Function narrow_barriers(const Function& f, const target::Target& target);

/// Where the target has a unit for it, loops that are marked so (ir/box_copy.h) are copies of boxes that it
/// makes. Error where one of them is none.
Function box_copies(const Function& f, const target::Target& target);

/// Such copies are asynchronous, where the engine takes them as they are.
Function async_copies(const Function& f, const target::Target& target);

/// Blocks have their numbers in the order that rows_together asks for (ir/block_order.h): what a block
/// computes is what the block at another place of the grid would have.
Function order_blocks(const Function& f, const target::Target& target);

}  // namespace ardea::lower
