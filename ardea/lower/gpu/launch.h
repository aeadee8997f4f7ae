#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ardea/arith/analyzer.h"
#include "ardea/ir/function.h"

/// What a launch is: the outermost loop that is bound to a thread, with everything in it.

namespace ardea::lower {

bool is_block_loop(const For& loop);   ///< bound to blockIdx.*
bool is_thread_loop(const For& loop);  ///< bound to threadIdx.*
/// Either: its iterations run concurrently on a GPU. (Virtual threads are loops of each thread.)
bool is_launch_loop(const For& loop);
bool holds_launch_loop(const Stmt& s);

/// The statement as a sentence can name it.
std::string first_line(const Stmt& s);

/// Memory that each thread has for itself.
bool is_private(const std::string& scope);
/// Memory that the threads of a block have in common.
bool is_block_memory(const std::string& scope);

/// Memory that the lanes of a warp hold together, in registers: fragments.
bool is_warp_memory(const std::string& scope);
/// Whether s is an instruction that all lanes of a warp run together.
bool is_warp_instruction(const Stmt& s);
/// s with what its tensor instructions touch written out, as analyses of accesses read it.
Stmt with_accesses_shown(const Stmt& s, const arith::Analyzer& facts);

/// Waits for all threads of the block. Each one made is a statement of its own.
Stmt make_block_barrier();
/// Waits for all lanes of the warp.
Stmt make_warp_barrier();
bool is_block_barrier(const Stmt& s);
bool holds_block_barrier(const Stmt& s);

/// A launch as unify_thread_bindings leaves it: loops over blocks, loops over threads, and what every thread
/// does.
struct Launch {
  std::vector<For> blocks, threads;  ///< outermost first; from 0 on, one of a tag
  Stmt body;
};
/// Of a statement that is such a loop; nothing of others.
std::optional<Launch> launch_of(const Stmt& s);
Stmt statement_of(Launch launch);

}  // namespace ardea::lower
