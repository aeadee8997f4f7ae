#pragma once

#include <optional>
#include <vector>

#include "ardea/arith/analyzer.h"
#include "ardea/intrin/instruction.h"

/// Which box of a buffer an operand of a tensor instruction is, while buffers have their dimensions.

namespace ardea::limits {

/// An operand whose window is a box: from `corner`, `extents` elements along each dimension of the buffer.
struct InstructionWindow {
  std::size_t parameter = 0;  ///< of the record
  Buffer buffer;
  std::vector<Expr> corner;
  std::vector<std::int64_t> extents;
  /// Along dimension `formal` of the record's buffer an element is `times` elements along `actual`.
  struct Step {
    std::size_t formal, actual;
    std::int64_t times;
  };
  std::vector<Step> steps;
};

/// The instruction that s calls, or null.
const Call* instruction_call(const Stmt& s);

/// The operands of the call on `buffer`; nothing where one of them is not known to be a box.
std::optional<std::vector<InstructionWindow>> windows_of(const Call& call, const Buffer& buffer,
                                                         const arith::Analyzer& facts);

/// Statements that touch what the windows hold, and nothing else: what an analysis of accesses can read.
Stmt touching(const std::vector<InstructionWindow>& windows, const Call& call);

/// The same of all that the instruction touches, and maybe of more; nothing where an operand is not proved to
/// lie inside its buffer.
std::optional<Stmt> all_touched(const Call& instruction, const arith::Analyzer& facts);

/// s with what its instructions touch of the buffer written out; nothing where that is not known.
std::optional<Stmt> with_windows_shown(const Stmt& s, const Buffer& buffer, const arith::Analyzer& facts);

/// The call with the strides that its windows have in a buffer of other strides, with as many dimensions;
/// nothing where the record fixes a stride that would change.
std::optional<Call> with_strides(const Call& call, const std::vector<InstructionWindow>& windows,
                                 const Buffer& other, const arith::Analyzer& facts);

/// s with all its instructions so; nothing where one of them does not take such strides.
std::optional<Stmt> with_strides(const Stmt& s, const Buffer& buffer, const Buffer& other,
                                 const arith::Analyzer& facts);

}  // namespace ardea::limits
