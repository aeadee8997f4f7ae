#pragma once

#include "ardea/arith/analyzer.h"
#include "ardea/ir/function.h"
#include "ardea/target/target.h"

/// How much code a program becomes: a step is a statement that does something.

namespace ardea::limits {

/// Beyond this many steps a nest is not written out, whoever asks for it: the time that LLVM takes grows
/// faster than the code, and no machine's instruction cache holds more.
inline constexpr std::int64_t most_unrolled_steps = 1024;

/// How many times larger a nest may become when its loops are cut where guards are decided. Tails along three
/// tiled dimensions are eight pieces.
inline constexpr std::int64_t most_growth = 8;

/// A nest that becomes more vectors than these is not copied for each of its tails and borders, but once:
/// what asks nothing, and all the rest.
inline constexpr std::int64_t most_copied_vectors = 64;

/// Where the pieces of a loop have known sizes, it is cut until the nest has become so many steps.
inline constexpr std::int64_t most_cut_steps = 256;

/// So many vectors of a vectorized loop are written one after another; more of them are a loop.
inline constexpr std::int64_t most_vector_copies = 4;

/// On a loop or block: nests of up to so many steps inside it are unrolled without a mark.
inline constexpr auto auto_unroll_key = "pragma_auto_unroll_max_step";

/// Stores, assertions and calls.
bool is_step(const Stmt& s);

/// The iterations of the largest nest of unrolled loops.
Expr unrolled_iterations(const Function& f);

/// The steps of s, with unrolled loops written out, vectorized ones as their vectors, and other loops once.
Expr written_steps(const Stmt& s, const target::Target& target, const arith::Analyzer& facts);

/// The same with all the vectors of a loop, even where these are a loop: backends unroll it.
Expr written_vectors(const Stmt& s, const target::Target& target, const arith::Analyzer& facts);

/// The most steps that an unrolled loop becomes, with unrolled loops in it written out, vectorized ones as
/// their vectors, and other loops once, before tails are cut: lowering writes out what has at most
/// most_unrolled_steps.
Expr unrolled_steps(const Function& f, const target::Target& target);

/// At least the steps of the whole program, the pieces of its tails included.
Expr code_steps(const Function& f, const target::Target& target);

}  // namespace ardea::limits
