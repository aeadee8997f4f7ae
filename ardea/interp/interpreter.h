#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "ardea/ir/function.h"
#include "ardea/runtime/array.h"

/// The reference interpreter: the living definition of the IR, slow and literal.

namespace ardea::interp {

class Observer;

/// An argument: an array for a buffer parameter, a number for a scalar one.
using Argument = std::variant<runtime::Array, std::int64_t, double>;

struct Options {
  /// Orders the threads of concurrent loops between barriers; different seeds give different (adversarial)
  /// orders.
  std::uint64_t seed = 0;
  /// Stop with an Error after so many statements; 0 means never.
  std::uint64_t step_limit = 0;
  /// Array arguments (by position, from 0) whose elements count as never written until the program writes
  /// them: outputs. The elements of all other arrays may be read at once.
  std::vector<std::size_t> uninitialised_arguments = {};
  /// Is told of every iteration and every access of the run (observer.h); nullptr: nobody is.
  Observer* observer = nullptr;
};

/// Runs f on the arguments, in place; docs/semantics.md says what every construct means. Arrays must fit the
/// parameters' shapes, whose symbolic extents they bind; arrays that share memory may only be read. Throws
/// Error naming the statement on an access out of range, a read of memory never written, an undefined
/// operation, a failed assertion, a data race between concurrent threads, a barrier that not all threads
/// reach.
void run(const Function& f, const std::vector<Argument>& arguments, const Options& options = {});

}  // namespace ardea::interp
