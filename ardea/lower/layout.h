#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ardea/ir/function.h"

/// Where the elements of a buffer lie, as int64 arithmetic.

namespace ardea::lower {

/// e as int64, lane by lane.
Expr as_index(const Expr& e);

/// a + b and a * b of indices, either of which may have lanes; constants fold, a ramp stays a ramp.
Expr add_index(const Expr& a, const Expr& b);
Expr multiply_index(const Expr& a, const Expr& b);

/// Its strides in elements, written or row-major.
std::vector<Expr> strides_of(const Buffer& buffer);

/// Its offset in elements from `data`.
Expr offset_of(const Buffer& buffer);

/// The element's place counted from `data`.
Expr flat_index(const Buffer& buffer, const std::vector<Expr>& indices);

/// Elements from `data` up to and including the last of the buffer. Error where constant extents give more
/// bytes than an int64 counts.
Expr flat_size(const Buffer& buffer);

/// The one-dimensional buffer over the same memory from `data` on.
Buffer flat_view(const Buffer& buffer);

/// Whether the buffer is row-major from `data` on.
bool is_compact(const Buffer& buffer);

/// Which addresses of a buffer's elements may be taken: none, or those that tensor instructions are given.
enum class Addresses { none, of_instructions };

/// The buffer over the whole allocation, where it is the only view, row-major, and no other address of it is
/// taken.
Buffer whole_view(const Allocate& allocate, Addresses allowed = Addresses::none);

/// Where an access goes instead.
struct Place {
  Buffer buffer;
  std::vector<Expr> indices;
};

/// Moves accesses: `access` for loads and stores, `region` for what blocks declare and match; each gives
/// nothing to leave the access where it is. Declarations are not touched.
struct Redirection {
  std::function<std::optional<Place>(const Buffer&, const std::vector<Expr>&)> access;
  std::function<std::optional<BufferRegion>(const BufferRegion&)> region = {};
};
Stmt redirect(const Stmt& s, const Redirection& redirection);

/// T.fail(sentence, values): each {} in the sentence is the next value.
Stmt fail_with(const std::string& sentence, const std::vector<Expr>& values);

/// if condition: T.fail(sentence, values)
Stmt fail_if(const Expr& condition, const std::string& sentence, const std::vector<Expr>& values);

}  // namespace ardea::lower
