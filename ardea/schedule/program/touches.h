#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ardea/schedule/program/tree.h"

/// Who touches a buffer's memory, statement by statement, and who comes before whom.

namespace ardea::schedule {

/// A statement that touches the memory itself, not only through the statements inside it.
struct Touch {
  Path path;  ///< from the body of the function
  bool reads = false, writes = false;
  /// By loads and stores of the very buffer; else by a view of it, a matched part, or an address given away.
  bool plain = true;
};

/// Every such statement inside the block at the end of `scope`, in program order. A block that matches a part
/// of the buffer is one that is not plain.
std::vector<Touch> touches(const Path& scope, const Buffer& buffer);

/// The buffers that e loads from, once each.
std::vector<Buffer> loaded_buffers(const Expr& e);

/// A load or store of the buffer in s that is not of one element, or masked; for messages.
std::optional<std::string> vector_access(const Stmt& s, const Buffer& buffer);

/// The position in both paths of the innermost statement that holds the ends of both.
std::size_t parting(const Path& a, const Path& b);

/// Whether the end of a comes before that of b in the sequence where the two part.
bool stands_before(const Path& a, const Path& b);

/// The position of the innermost loop that holds the ends of both and stands inside the block at the end of
/// `scope`; nothing where there is none, so that what the block holds of them runs once.
std::optional<std::size_t> common_loop(const Path& scope, const Path& a, const Path& b);

}  // namespace ardea::schedule
