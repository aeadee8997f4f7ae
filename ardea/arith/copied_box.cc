#include "ardea/arith/copied_box.h"

#include <algorithm>

#include "ardea/ir/layout.h"
#include "ardea/ir/substitute.h"
#include "ardea/ir/traverse.h"

namespace ardea::arith {

namespace {

class BoxOfArray {
 public:
  BoxOfArray(const Expr& condition, const Var& row, const Var& column, const Analyzer& facts)
      : condition_(condition), row_(row), column_(column), facts_(facts) {}

  /// Of the array seen with three dimensions, of which these are the indices.
  std::optional<BoxCopy> seen_as(const std::vector<std::int64_t>& extents, const Expr& outer, const Expr& row,
                                 const Expr& column) const {
    BoxCopy box{.outers = extents[0], .rows = extents[1], .columns = extents[2]};
    box.outer = facts_.simplify(outer);
    if (uses(box.outer, row_) || uses(box.outer, column_)) return std::nullopt;
    const auto first_row = begin_along(row, row_, column_), first_column = begin_along(column, column_, row_);
    if (!first_row || !first_column || !holds_inside(extents, row, column)) return std::nullopt;
    box.row = *first_row, box.column = *first_column;
    return box;
  }

 private:
  /// Of an index that moves with one variable, and not with the other.
  std::optional<Expr> begin_along(const Expr& index, const Var& along, const Var& other) const {
    const Expr begin = facts_.simplify(
        substitute(index, {{along, make_int(0, along.type())}, {other, make_int(0, other.type())}}));
    const bool is_so = facts_.proves(equals(index, begin + as_index(along)));
    return is_so ? std::optional(begin) : std::nullopt;
  }

  bool holds_inside(const std::vector<std::int64_t>& extents, const Expr& row, const Expr& column) const {
    if (!condition_.defined()) return true;
    Analyzer inside = facts_;
    for (const auto& [index, extent] : {std::pair{row, extents[1]}, {column, extents[2]}}) {
      inside.assume(index >= make_int(0));
      inside.assume(index < make_int(extent));
    }
    return inside.proves(condition_);
  }

  const Expr& condition_;
  const Var &row_, &column_;
  const Analyzer& facts_;
};

}  // namespace

std::optional<std::vector<std::int64_t>> extents_for_unit(const Buffer& array) {
  if (!is_compact(array) || array->type.is_vector()) return std::nullopt;
  std::vector<std::int64_t> extents;
  for (const Expr& extent : array->shape) {
    const auto number = constant_int(extent);
    if (!number || *number < 1) return std::nullopt;
    extents.push_back(*number);
  }
  return extents;
}

std::optional<BoxCopy> copied_box(const Buffer& array, const std::vector<Expr>& indices,
                                  const Expr& condition, const Var& row, const Var& column,
                                  const Analyzer& facts) {
  const std::size_t rank = array->shape.size();
  const auto extents = extents_for_unit(array);
  if (rank < 2 || indices.size() != rank || !extents) return std::nullopt;
  const std::vector<std::int64_t>& shape = *extents;
  // All dimensions but the last so many as one.
  const auto as_one = [&](std::size_t dimensions) {
    Expr index = make_int(0);
    std::int64_t extent = 1;
    for (std::size_t d = 0; d < dimensions; ++d) {
      index = index * make_int(shape[d]) + as_index(indices[d]);
      extent *= shape[d];
    }
    return std::pair(index, extent);
  };
  const BoxOfArray box(condition, row, column, facts);
  const Expr last = as_index(indices.back());
  const auto [outer, outers] = as_one(rank - 2);
  if (auto found =
          box.seen_as({outers, shape[rank - 2], shape.back()}, outer, as_index(indices[rank - 2]), last))
    return found;
  // Rows that go on from one of the outer dimensions to its next.
  const auto [all, count] = as_one(rank - 1);
  return box.seen_as({1, count, shape.back()}, make_int(0), all, last);
}

}  // namespace ardea::arith
