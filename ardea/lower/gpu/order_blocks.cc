#include <algorithm>
#include <limits>

#include "ardea/arith/analyzer.h"
#include "ardea/ir/block_order.h"
#include "ardea/ir/substitute.h"
#include "ardea/lower/gpu/launch.h"
#include "ardea/lower/gpu/passes.h"

namespace ardea::lower {

namespace {

/// Where a grid of `rows` times `columns` blocks is walked in groups of `together` rows, down each column of
/// a group. The last group may have fewer.
struct GroupedRows {
  std::int64_t rows = 1, columns = 1, together = 1;

  /// Row and column of what the block at that row and column computes.
  std::pair<Expr, Expr> place_of(const Expr& row, const Expr& column) const {
    const auto number = [&](std::int64_t value) { return make_int(value, row.type()); };
    const Expr place = row * number(columns) + column;
    const Expr first = floor_div(place, number(together * columns)) * number(together);
    const Expr inside = floor_mod(place, number(together * columns));
    const Expr height = rows % together == 0 ? number(together) : min(number(together), number(rows) - first);
    return {first + floor_mod(inside, height), floor_div(inside, height)};
  }
};

Stmt ordered(const Stmt& s) {
  auto launch = launch_of(s);
  if (!launch) return map_children(s, Mapper{.stmt = ordered});
  const auto along = [&](const char* axis) {
    return std::find_if(launch->blocks.begin(), launch->blocks.end(),
                        [&](const For& loop) { return loop.thread == axis; });
  };
  const auto row = along("blockIdx.y"), column = along("blockIdx.x");
  if (row == launch->blocks.end() || column == launch->blocks.end()) return s;
  const auto rows = constant_int(row->extent), columns = constant_int(column->extent);
  const std::int64_t together = integer_attribute(row->annotations, rows_together_key, 1);
  row->annotations.erase(rows_together_key);
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  const bool is_countable =
      rows && columns && row->var.type() == column->var.type() && *rows <= most / *columns;
  if (!is_countable || together <= 1) return statement_of(*std::move(launch));
  const auto [new_row, new_column] =
      GroupedRows{*rows, *columns, std::min(together, *rows)}.place_of(row->var, column->var);
  const Var own_row(row->var.name(), row->var.type()), own_column(column->var.name(), column->var.type());
  launch->body = substitute(launch->body, {{row->var, own_row}, {column->var, own_column}});
  launch->body = LetStmt{own_row, new_row, LetStmt{own_column, new_column, launch->body}};
  return statement_of(*std::move(launch));
}

}  // namespace

Function order_blocks(const Function& f, const target::Target&) {
  Function out = f;
  out.body = ordered(f.body);
  return out;
}

}  // namespace ardea::lower
