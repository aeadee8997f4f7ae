#pragma once

#include "ardea/ir/function.h"
#include "ardea/target/target.h"

/// Every pass of lowering, one file each, in the order in which pipeline.cc runs them. All have one shape, so
/// that the pipeline is a table; the interpreter gives the same answers before and after each (pack_arguments
/// aside, whose output speaks to the ABI instead of having parameters).

namespace ardea::lower {

/// Every loop that is to be a pipeline, for its own annotations or for a double buffer in it, says its stages
/// and its order, and they are proved to be legal; Error where they are not.
Function plan_pipelines(const Function& f, const target::Target& target);

/// Each buffer that a block allocates becomes an Allocate around the lowest statement that holds all its uses
/// and across whose repetitions no content lives: where a loop carries content from one iteration to the next
/// it stays outside.
Function place_allocations(const Function& f, const target::Target& target);

/// A block's init becomes a statement of its body, guarded by "every reduce iterator is at its first value".
Function lower_init(const Function& f, const target::Target& target);

/// Matched buffers become indices into their sources; the strides and offsets they bind become the sources'
/// own.
Function lower_match_buffer(const Function& f, const target::Target& target);

/// Iterators become their bindings, predicates become conditions; no block remains.
Function blocks_to_loops(const Function& f, const target::Target& target);

/// Calls of tensor instructions that the target's backend cannot say become what they mean, on windows of
/// flat views; the others stand behind a test that their windows lie in memory.
Function lower_tensor_instructions(const Function& f, const target::Target& target);

/// The same with all of them, in any program: for those who look at what a program does.
Function expand_tensor_instructions(const Function& f);

/// An allocated buffer without views shrinks to the box that is touched, its indices shifted by the box's
/// corner; tensor instructions on it get its new strides. In a program whose threads run concurrently only
/// what one thread has for itself.
Function compact_allocations(const Function& f, const target::Target& target);

/// A loop with stages becomes the statements that fill the pipeline, a loop in which all stages run, and the
/// statements that drain it; memory of the iterations at work has that many versions, one after the other.
Function inject_software_pipeline(const Function& f, const target::Target& target);

/// A vectorized or parallel loop whose iterations are not proved to touch different memory, or that calls
/// out, is serial.
Function independent_iterations(const Function& f, const target::Target& target);

/// Decided conditions, loops of one iteration and arithmetic that says less than it computes go away.
Function simplify(const Function& f, const target::Target& target);

/// Before every statement that is not proved to stay inside its buffers, its views inside their memory and
/// its allocations inside the address space, stands a test that fails with the buffer, the dimension and the
/// values.
Function check_accesses(const Function& f, const target::Target& target);

/// Elements of allocations lie within their rows as the annotation row_swizzle asks for (ir/row_swizzle.h);
/// no allocation carries it. Where that cannot be they lie as they are, and one is marked (notes.h).
/// Instructions on rows that lie so become those that know it; Error where one finds rows that do not.
Function swizzle_rows(const Function& f, const target::Target& target);

/// The strides of allocations are those that the annotation buffer_dim_align asks for
/// (ir/storage_alignment.h); no allocation carries it.
Function align_strides(const Function& f, const target::Target& target);

/// Every buffer has one dimension, no strides and no offset; indices are int64. Parameters keep their shape
/// in the signature, and the body uses flat views of them.
Function flatten_storage(const Function& f, const target::Target& target);

/// Allocations of one sequence that are not needed at the same time, or of which one is computed from the
/// other element by element, share memory; not slots of scope "register", and not lanes' own.
Function reuse_storage(const Function& f, const target::Target& target);

/// A loop is cut where a condition in its body becomes decided, so that most iterations run without it
/// (cut_points.h says which conditions). A nest grows to at most eight times its size. On a GPU at constant
/// points only, and only where no barrier stands inside.
Function partition_loops(const Function& f, const target::Target& target);

/// The iterations of a vectorized loop become lanes of vectors (lane_counts.h says how many, lane_code.h
/// how); what has no vector form becomes a serial loop over the lanes, statement by statement.
Function vectorize(const Function& f, const target::Target& target);

/// Loops marked T.unroll, and inside the annotation "pragma_auto_unroll_max_step" nests of up to that many
/// steps, are written out, or under "pragma_unroll_explicit" = 0 left as T.unroll for the backend. So is what
/// would be more than 1,024 steps, or has no constant extent.
Function unroll_loops(const Function& f, const target::Target& target);

/// The mask of a tail goes where nothing can tell: from loads whose other lanes reach only lanes that
/// a store leaves out, if the whole row lies in memory that is only read or filled before it is read
/// (filled_first.h); and from a register slot all of whose accesses have that mask.
Function drop_masks(const Function& f, const target::Target& target);

/// As many vectors as they have lanes, whose lanes lie in as many rows and which lie side by side in them, as
/// where a tile of a matrix is stored transposed, are loaded by rows, and the rows are transposed in
/// registers. Only vectors of stores that follow each other and write none of that memory.
Function transpose_tiles(const Function& f, const target::Target& target);

/// Loads of every second element that overlap, as those of the columns of a window do, are parts of
/// rows that are loaded once. Only loads of stores that follow each other and write none of that memory.
Function join_strided_loads(const Function& f, const target::Target& target);

/// Memory of scope "register" is slots: allocations of one element, a vector or a number each, accessed as a
/// whole by the index 0. Error where an index is not constant, or the slots are more than the target has
/// vector registers (register_slots.h).
Function promote_registers(const Function& f, const target::Target& target);

/// Loops are serial, parallel or unrolled (left to the backend), and no parallel loop runs inside another: it
/// is serial, or the two are one over all pairs of iterations where it is all that the outer one does. On a
/// GPU they are serial, unrolled or bound to threads.
Function serial_kinds(const Function& f, const target::Target& target);

/// int64 loop variables and index arithmetic become int32 where every value, those in between included, is
/// proved to fit.
Function narrow_indices(const Function& f, const target::Target& target);

/// Conditions, divisions and calls that a loop does not change stand before it.
Function hoist_invariants(const Function& f, const target::Target& target);

/// What several statements, or one of them several times, compute has a name: cse_var_1, cse_var_2, …
Function eliminate_common_subexpressions(const Function& f, const target::Target& target);

/// What is left is arithmetic on bool, integers of 8 bits and more, float32 and float64, and float16 that is
/// loaded, cast and stored, on GPUs bfloat16 as well. Elsewhere bfloat16 is its bits, everywhere float8;
/// 4-bit integers are nibbles of a parameter's bytes or bytes of an allocation, bool is a byte in memory.
Function legalise_types(const Function& f, const target::Target& target);

/// Users' rules are applied (rules.h), registered intrinsics become their meaning, approximate functions
/// become arithmetic (functions/functions.h) or, with the attribute "library_functions", calls of the C
/// library.
Function lower_intrinsics(const Function& f, const target::Target& target);

/// Inside a loop with the pragma "prefetch" = [x, d, y, e, …] stands, before each access of element i of the
/// parameter x, a hint that element i + d of x, i + e of y, … will be needed. They may lie outside of the
/// memory: a hint touches nothing.
Function insert_prefetches(const Function& f, const target::Target& target);

/// The entry point of runtime/abi.h: no parameters, the attribute "calling_convention" = "packed"; the body
/// checks the packed arguments, binds shapes, scalars and data pointers, and goes on.
Function pack_arguments(const Function& f, const target::Target& target);

}  // namespace ardea::lower
