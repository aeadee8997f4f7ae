#pragma once

#include <deque>

#include "tests/random/index_draw.h"

namespace ardea::random_programs {

struct Memory {
  std::string name;
  Point shape;
  enum Role { input, output, filled, temporary } role = input;
};

/// Blanks before a line inside so many statements.
std::string pad(std::size_t depth);

/// A program of nests in the making, as text: its tensors, the nest and the block that are being written.
struct NestState {
  Random& random;
  bool is_cautious;  ///< only iterators of which nothing must be proved

  std::deque<Memory> tensors = {};  ///< never moved
  std::string text = {};
  std::size_t blocks = 0, nests = 0;
  bool counts_twice = false;  ///< a reduction comes to the same values of its iterators twice: it is none
  // Of the nest under way:
  DependentLoops loops = {};
  std::vector<std::string> loop_names = {};
  std::vector<Memory*> consumed = {};  ///< that the next loops are to read
  // Of the block under way:
  Instances instances = {};                 ///< of the loops, or of the block's iterators
  std::vector<std::string> iterators = {};  ///< their names

  IndexDraw draw() { return {random, loops, instances}; }

  Memory& new_tensor(Memory::Role role);
  /// Moves the indices so that none is negative, and lets the tensor reach there, and have `room` on both
  /// sides.
  void fit(Memory& tensor, Indices& indices, std::int64_t room = 0);
  std::string access(const Memory& tensor, const Indices& indices) const;

  /// A block inside so many loops, with an iterator for each binding, `room` beyond its values in both
  /// directions.
  void begin_block(std::size_t depth, const Indices& bindings, const std::vector<std::string>& kinds,
                   std::int64_t room = 0);
  /// At times the block runs only where a condition of the loops holds.
  void maybe_where(std::size_t depth);
  /// The statement, inside so many loops, in each iteration or where a condition of the iterators holds.
  std::string guarded(std::size_t depth, const std::string& store);
  /// Something of the first `depth` iterators that differs from iteration to iteration, and does not read
  /// what is written.
  std::string value(std::size_t depth, const Memory* written);

 private:
  std::string read(Indices indices, const Memory* written);
};

}  // namespace ardea::random_programs
