#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "ardea/interp/interpreter.h"
#include "ardea/interp/observer.h"

/// A brute-force oracle of conflicts: what one run touched, in which iterations, and which loops may
/// therefore not run concurrently or change places. It knows nothing of ardea/arith.

namespace ardea::schedule {

/// How the iterations of a loop would run, and which memory each of them has for itself.
enum class Concurrency {
  lanes,     ///< of a vector, or virtual threads: no memory but what is allocated inside the loop
  parallel,  ///< also what every iteration writes before it reads it, and nobody outside uses
  /// Of that only what is in a thread's own scope, or in a block's where all find the same there; and sums
  /// may be theirs together: executions of one statement x = x + y, after the one that begins them.
  threads,
  blocks  ///< of threads: also what is in a block's
};

/// What one run of a program did. The program must live as long as this.
class AccessRecord : private interp::Observer {
 public:
  /// Runs the program on the arguments, which it changes.
  AccessRecord(const Function& program, const std::vector<interp::Argument>& arguments);

  /// False where the run was too long to be kept: then nothing is known.
  bool is_complete() const { return events_.size() < most_events; }

  /// Two iterations of the loop that touch the same memory, at least one of them writing, in words; nothing
  /// where there are none. Memory that each iteration has for itself does not count.
  std::optional<std::string> conflict(const Var& loop, Concurrency how) const;

  /// Two accesses of the same memory, at least one of them a write, that change places where the loops of a
  /// chain (outermost first) run in the order `order` (positions in the chain), in words. Two executions of
  /// one statement x = x + y (or another operation that combines in any order) may change places.
  std::optional<std::string> disorder(const std::vector<Var>& chain,
                                      const std::vector<std::size_t>& order) const;

 private:
  static constexpr std::size_t most_events = 400'000;

  enum class Kind : std::uint8_t { begin, end, read, write };
  struct Event {
    Kind kind = Kind::begin;
    std::uint32_t memory = 0;          ///< which, of a touch
    std::uint32_t statement = 0;       ///< which, of a touch
    const void* loop = nullptr;        ///< its variable
    std::int64_t first = 0, last = 0;  ///< bits of a touch (one past the last); the value of an iteration
    std::uint64_t found = 0;           ///< by a read: its first bytes
  };
  struct Memory {
    std::string name;
    bool is_argument = true, is_a_threads_own = false, is_a_blocks_own = false;
    std::int64_t bit_count = 0;  ///< as many as were touched
    std::int64_t unit_bits = 0;  ///< divides where every touch begins and ends
  };

  void begins(const For& loop, std::int64_t value) override;
  void ends(const For& loop) override;
  void allocates(const void* memory, const std::string& name, const std::string& scope) override;
  void touches(const void* memory, const std::string& name, std::int64_t begin_bit, std::int64_t end_bit,
               bool writes, const Stmt& statement) override;
  std::uint32_t number_of(const Stmt& statement);

  std::vector<Event> events_;
  std::vector<Memory> memories_;
  std::vector<Stmt> statements_;
  std::vector<bool> combines_;  ///< of each statement: whether it is x = x + y
  std::vector<bool> starts_;    ///< whether it is x = y
  std::unordered_map<const void*, std::uint32_t> memory_numbers_;
  std::unordered_map<Stmt, std::uint32_t> statement_numbers_;
};

}  // namespace ardea::schedule
