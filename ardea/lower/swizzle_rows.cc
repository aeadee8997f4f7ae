#include <bit>

#include "ardea/ir/row_swizzle.h"
#include "ardea/ir/traverse.h"
#include "ardea/lower/layout.h"
#include "ardea/lower/notes.h"
#include "ardea/lower/passes.h"

namespace ardea::lower {

namespace {

/// Whether units change places within the rows of such a buffer, and no row has one of another.
bool fits(const RowSwizzle& swizzle, const Buffer& buffer) {
  const auto columns = buffer->shape.size() < 2 ? std::nullopt : constant_int(buffer->shape.back());
  if (!columns || *columns % swizzle.unit != 0) return false;
  const std::int64_t units = *columns / swizzle.unit;
  return std::has_single_bit(static_cast<std::uint64_t>(units)) && swizzle.rows <= units;
}

std::vector<Expr> swizzled(const RowSwizzle& swizzle, std::vector<Expr> indices, std::int64_t columns) {
  const Expr row = indices[indices.size() - 2], column = indices.back();
  const auto number = [&](std::int64_t value) { return make_int(value, column.type()); };
  const Expr unit = make_binary(BinaryOp::bit_xor, floor_div(column, number(swizzle.unit)),
                                make_cast(column.type(), floor_mod(row, make_int(swizzle.rows, row.type()))));
  // Which changes nothing, and says how far it goes.
  const Expr place = make_binary(BinaryOp::bit_and, unit, number(columns / swizzle.unit - 1));
  indices.back() = place * number(swizzle.unit) + floor_mod(column, number(swizzle.unit));
  return indices;
}

Stmt with_swizzled_rows(const Stmt& s) {
  const Stmt out = map_children(s, Mapper{.stmt = with_swizzled_rows});
  const auto* allocate = out.as<Allocate>();
  const auto swizzle = allocate == nullptr ? std::nullopt : row_swizzle(allocate->annotations);
  if (!swizzle) return out;
  Allocate moved = *allocate;
  moved.annotations.erase(row_swizzle_key);
  // Who has an address counts on rows that lie as they are.
  const Buffer buffer = whole_view(*allocate, Addresses::none);
  if (!buffer.defined() || !fits(*swizzle, buffer)) {
    moved.annotations[swizzle_refused_key] = Attribute{make_int(1)};
    return moved;
  }
  const std::int64_t columns = *constant_int(buffer->shape.back());
  const Redirection within_rows = {
      .access = [&](const Buffer& b, const std::vector<Expr>& indices) -> std::optional<Place> {
        if (b != buffer) return std::nullopt;
        return Place{buffer, swizzled(*swizzle, indices, columns)};
      }};
  moved.body = redirect(moved.body, within_rows);
  return moved;
}

}  // namespace

Function swizzle_rows(const Function& f, const target::Target&) {
  Function out = f;
  out.body = with_swizzled_rows(f.body);
  return out;
}

}  // namespace ardea::lower
