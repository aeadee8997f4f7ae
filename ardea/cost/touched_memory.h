#pragma once

#include <unordered_map>
#include <vector>

#include "ardea/cost/surroundings.h"
#include "ardea/limits/limits.h"
#include "ardea/target/target.h"

namespace ardea::cost {

/// Levels of cache that features have names for.
inline constexpr std::size_t cache_levels = 3;

/// A place that touches memory, and the box that it touches while the loops run that were left so far.
struct Access {
  using Value = Formulas::Value;
  Buffer buffer;
  std::vector<std::vector<Value>> spans;  ///< by dimension and loop around, outermost first: last − first
  std::vector<Value> steps;               ///< by loop: elements from one iteration to the next
  std::vector<Value> box;                 ///< by dimension
  Value is_there = 0;                     ///< 0 where it never happens
  std::size_t free_loops = 0;             ///< loops around that can still move it
  std::size_t outside = 0;                ///< loops around its memory
};

/// What a part of the program touches, and the bytes that come into each cache for it, each time that it
/// runs.
struct Part {
  std::vector<Access> accesses;
  std::vector<Formulas::Value> bytes_into;
};

/// Whether a buffer's memory comes through the caches: not a register, nor a unit's own.
bool is_cached(const Buffer& buffer);

/// The memory that parts of a program touch: of statements by their indices, of loops by the boxes that these
/// move over, of caches by what fits.
class TouchedMemory {
 public:
  using Value = Formulas::Value;

  TouchedMemory(const limits::Limits& limits, const target::Target& target, Surroundings& surroundings);

  /// Memory that each iteration of the loops around has anew.
  void allocate(const Var& data) { depth_of_[data] = surroundings_.loops().size(); }

  /// `window` elements along each of the last dimensions at once.
  Access access_of(const Buffer& buffer, const std::vector<Expr>& indices,
                   const std::vector<std::int64_t>& window, Value is_there);

  /// Of the boxes together: of one buffer the one that contains them all, as if they began at one place. Rows
  /// that are not whole come in whole lines.
  Value bytes_of(const std::vector<Access>& accesses);
  /// What data of other use leaves of a cache to a nest.
  Value cache_bytes(std::size_t level);

  Part nothing();
  /// Of a statement: all of it comes once into each cache.
  Part once(std::vector<Access> accesses);
  /// Parts one after another: what fits into a cache is there for the next one.
  Part sequence(std::vector<Part> parts);
  /// The body of the innermost loop around, as often as that runs.
  Part repeated(Part body);
  /// A part that happens only in a share of the cases.
  Part under(Part part, Value share);

 private:
  std::vector<Value> shape_of(const Buffer& buffer);
  std::vector<Value> strides_of_memory(const Buffer& buffer, const std::vector<Value>& shape);
  Value bytes_of_box(const Buffer& buffer, const std::vector<Value>& box);

  Surroundings& surroundings_;
  Formulas& f_;
  const target::Target& target_;
  Value zero_, one_;
  std::unordered_map<Var, const limits::Memory*> memory_;
  std::unordered_map<Var, std::size_t> depth_of_;  ///< loops around the memory
};

}  // namespace ardea::cost
