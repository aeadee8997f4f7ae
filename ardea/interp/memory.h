#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ardea/interp/race.h"
#include "ardea/interp/value.h"
#include "ardea/ir/stmt.h"

namespace ardea::interp {

/// Bytes that an asynchronous copy is under way to (`is_destination`) or from.
struct Flight {
  std::int64_t begin_byte, end_byte;
  bool is_destination;
  std::uint64_t copy;  ///< which copy
  const Stmt* statement;
};

/// Memory that the program may touch: an argument's, or an allocation's own. Elements of any type may be read
/// over the same bytes; each byte knows whether it was ever written.
struct Allocation {
  /// Its own memory, never written.
  Allocation(std::string called, std::string in_scope, std::int64_t bytes);
  /// An argument's.
  Allocation(std::string called, void* memory, std::int64_t bytes, bool initialised);

  std::string name, scope;
  unsigned char* data;
  std::int64_t byte_count;
  std::vector<std::uint8_t> written;  ///< one a byte
  std::vector<Flight> flights;
  /// Another argument's memory that this one shares: both may be read, neither may be written.
  const Allocation* overlapping = nullptr;
  bool one_thread = false;         ///< made by a concurrent thread for itself: no race is possible
  std::unique_ptr<Shadow> shadow;  ///< who touched what in the launch under way

 private:
  std::vector<unsigned char> own_;
};

/// A buffer while the program may use it: where its elements are.
struct View {
  Allocation* memory = nullptr;  ///< nullptr: the buffer is not declared here
  std::int64_t data_bit = 0;     ///< where `data` points
  std::int64_t offset = 0;       ///< of element 0, in elements
  std::vector<std::int64_t> shape, strides;
};

/// Row-major strides of a shape; nothing where they overflow.
std::optional<std::vector<std::int64_t>> compact_strides(const std::vector<std::int64_t>& shape);

/// Elements of a shape; nothing where an extent is negative or their bytes overflow.
std::optional<std::int64_t> element_count(const std::vector<std::int64_t>& shape, DataType type);

/// Bits from one element to the next.
inline std::int64_t element_bits(DataType type) {
  return static_cast<std::int64_t>(type.is_bool() ? 8 : type.bits) * type.lanes;
}

/// One lane, `bit` bits from the start; the bytes are inside the allocation.
Lane read_lane(const Allocation& memory, std::int64_t bit, DataType element);
void write_lane(Allocation& memory, std::int64_t bit, DataType element, Lane value);

}  // namespace ardea::interp
