#pragma once

#include <optional>
#include <vector>

#include "ardea/ir/function.h"
#include "ardea/schedule/program/path.h"
#include "ardea/schedule/program/reference.h"

/// Blocks as the expressions of operators make them, by what their index expressions say.

namespace ardea::rules {

/// A block that stores one element an instance, alone in loops of known lengths, each of which is the binding
/// of an iterator, in the same order: loops that make elements first, those that reduce after them.
struct Stage {
  schedule::BlockRef block;
  std::vector<Var> iterators = {};
  std::vector<std::int64_t> extents = {};
  std::size_t spatial = 0;  ///< so many make elements; all others reduce
  Buffer out = {};
  std::vector<Expr> indices = {};  ///< of the element
  std::vector<Load> loads = {};    ///< all that it reads but what it adds to, each once

  bool reduces() const { return spatial < extents.size(); }
  /// Elements that it makes, and what each of them takes.
  std::int64_t elements() const;
  std::int64_t steps() const;
};

/// Nothing where the block is another one.
std::optional<Stage> plain_stage(const Function& program, const schedule::BlockRef& block);

/// Numbers of iterations of the loops around, where each is the binding of an iterator in the same order.
std::optional<std::vector<std::int64_t>> loop_extents(const schedule::Path& path);

/// Whether the indices are these variables, one each, in order.
bool are_plain(const std::vector<Expr>& indices, const std::vector<Var>& variables);

/// Bytes of the buffers that the stages read or write and that live longer than they do: parameters, and what
/// other blocks use.
std::int64_t bytes_around(const Function& program, const std::vector<schedule::BlockRef>& stages);

bool is_parameter(const Function& program, const Buffer& buffer);
/// Whether no iterator reduces, or has an order.
bool is_spatial(const Block& block);
/// Whether the regions of the block have the buffer.
bool reads(const Block& block, const Buffer& buffer);
bool writes(const Block& block, const Buffer& buffer);

}  // namespace ardea::rules
