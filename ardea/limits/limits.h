#pragma once

#include <unordered_map>

#include "ardea/limits/memory.h"

/// What a program takes of a machine, as expressions over its parameters: one answer for lowering, code
/// generation and spaces. Programs are those whose allocations stand where lowering places them; of a program
/// of blocks ask lower/limits_of.h.

namespace ardea::limits {

struct VectorLoop {
  Var loop;
  Expr extent;                      ///< the most of them, where it changes with a loop around
  std::int64_t register_lanes = 1;  ///< iterations that one vector register holds
};

struct Limits {
  std::vector<Memory> memory;
  std::map<std::string, Expr> live_bytes;  ///< by scope, at one time, in one thread
  Expr shared_bytes;      ///< of all scopes that are a GPU's shared memory, in sum; undefined elsewhere
  Expr thread_registers;  ///< of 32 bits: at least, what buffers in a GPU thread's registers take
  Expr vector_registers;  ///< at most: kept by a loop, in slots of scope "register"
  Expr tile_registers;    ///< at one time
  std::vector<VectorLoop> vectors;
  Expr unrolled_iterations;             ///< of the largest nest
  Expr unrolled_steps;                  ///< of it, what it holds included
  std::map<std::string, Expr> threads;  ///< by the axis that loops are bound to
  Expr block_threads, blocks;           ///< of the launch that has most of them
  Expr virtual_threads;                 ///< of the largest nest
  Expr parallel;                        ///< iterations of the largest nest of parallel loops
  Expr code_steps;                      ///< at most: statements when unrolled and cut
};

Limits limits_of(const Function& placed, const target::Target& target);

/// One of them with what the machine has of it, as its record says.
struct Bound {
  std::string name;  ///< "vector registers", "bytes in shared"
  Expr taken;
  std::optional<std::int64_t> available;  ///< absent where the record has no such limit
};

/// All, in one order: what a space posts as taken <= available, and what a person reads.
std::vector<Bound> bounds_of(const Limits& limits, const target::Target& target);

/// The value with numbers for the parameters; nothing where it still depends on something else.
using Numbers = std::unordered_map<Var, std::int64_t>;
std::optional<std::int64_t> value_at(const Expr& e, const Numbers& numbers);

}  // namespace ardea::limits
