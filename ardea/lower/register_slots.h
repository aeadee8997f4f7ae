#pragma once

#include <string>
#include <vector>

#include "ardea/ir/stmt.h"

/// How the memory of scope "register" divides into slots of one vector each (promote_registers).

namespace ardea::lower {

/// Consecutive elements of a register buffer that are read and written together.
struct Slot {
  std::int64_t first = 0;
  std::int64_t lanes = 1;
  bool is_written_in_part = false;  ///< by a store of some of its lanes, or under a mask
  bool is_addressed = false;        ///< by an operand of a tensor instruction

  std::int64_t end() const { return first + lanes; }
};

/// The slots of an allocation in scope "register", in order: the largest rows that its body touches. Every
/// access must have a constant index (a number, or a row of consecutive ones), of two that overlap one must
/// hold the other, and no address may be taken but of a whole operand of a tensor instruction; else Error
/// with the access and the loop to unroll.
std::vector<Slot> slots_of(const Allocate& allocation, const std::string& function);

/// The elements [first, first + lanes) that an index of a register buffer names; nothing where it is not
/// constant.
struct SlotRange {
  std::int64_t first = 0, lanes = 1;
};
std::optional<SlotRange> constant_range(const Expr& index);

/// How many elements a tensor instruction touches from the address that is its operand `position`.
std::int64_t operand_extent(const Call& instruction, std::size_t position);

}  // namespace ardea::lower
