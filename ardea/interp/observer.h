#pragma once

#include <cstdint>
#include <string>

#include "ardea/ir/stmt.h"

namespace ardea::interp {

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
};

}  // namespace ardea::interp
