#pragma once

#include <cstdint>
#include <string>

#include <vector>

#include "ardea/intrin/instruction.h"
#include "ardea/ir/stmt.h"

namespace ardea::interp {

/// Where an operand of a tensor instruction begins.
struct OperandAddress {
  const void* memory = nullptr;
  std::int64_t begin_byte = 0;
};

/// Told what a run does, in the order in which it happens: for oracles that judge a program by its accesses
/// and not by its answers alone. Loops and memories are known by their address while they live.
class Observer {
 public:
  virtual ~Observer() = default;

  /// The loop begins the iteration in which its variable has that value.
  virtual void begins(const For& loop, std::int64_t value) = 0;
  /// It has ended, all its iterations done. Not told of a loop without iterations.
  virtual void ends(const For& loop) = 0;
  /// Memory came into being; an address may have been that of memory that is gone. Not told of arguments.
  virtual void allocates(const void* memory, const std::string& name, const std::string& scope) = 0;
  /// Bits of the memory are about to be read or written by the statement: a whole element.
  virtual void touches(const void* memory, const std::string& name, std::int64_t begin_bit,
                       std::int64_t end_bit, bool writes, const Stmt& statement) = 0;
  /// A tensor instruction is about to run; what its meaning touches is told, too. `operands` are as many as
  /// the record's.
  virtual void runs(const intrin::Instruction& instruction, const std::vector<OperandAddress>& operands) {
    static_cast<void>(instruction), static_cast<void>(operands);
  }
  /// It has run.
  virtual void has_run(const intrin::Instruction& instruction) { static_cast<void>(instruction); }
};

}  // namespace ardea::interp
