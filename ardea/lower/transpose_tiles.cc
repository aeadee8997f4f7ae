#include <algorithm>
#include <bit>

#include "ardea/ir/substitute.h"
#include "ardea/lower/passes.h"
#include "ardea/lower/strided_runs.h"

namespace ardea::lower {

namespace {

using arith::Analyzer;

/// Elements that lie nearer to each other are read as rows that hold several lanes (join_strided_loads).
constexpr std::int64_t nearest_rows = 5;

/// Rows of a square, of which each exchange of lanes between two makes two of the next: after the first one,
/// squares of 2 × 2 elements are transposed, after the second one squares of 4 × 4, until the whole is. All
/// are of two vectors, which every machine has an instruction or two for; and each serves all columns.
std::vector<Var> transposed(std::vector<Var> rows, const std::string& name, ReadBefore& read) {
  const std::size_t lanes = rows.size();
  for (std::size_t side = 1; side < lanes; side *= 2) {
    std::vector<Var> next = rows;
    for (std::size_t upper = 0; upper < lanes; ++upper) {
      if ((upper & side) != 0) continue;
      const std::size_t lower = upper + side;
      std::vector<std::int64_t> firsts, seconds;
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        const bool is_left = (lane & side) == 0;
        firsts.push_back(static_cast<std::int64_t>(is_left ? lane : lanes + lane - side));
        seconds.push_back(static_cast<std::int64_t>(is_left ? lane + side : lanes + lane));
      }
      next[upper] = read.name(name, make_shuffle({rows[upper], rows[lower]}, firsts));
      next[lower] = read.name(name, make_shuffle({rows[upper], rows[lower]}, seconds));
    }
    rows = std::move(next);
  }
  return rows;
}

/// The square whose columns begin with the place at `offset`.
void transpose_square(const StridedGroup& group, std::int64_t offset, const Analyzer& facts,
                      ReadBefore& read) {
  const int lanes = group.front().load.type().lanes;
  std::vector<Var> rows;
  for (int row = 0; row < lanes; ++row) rows.push_back(read.row(group, offset, row, facts));
  const std::vector<Var> columns =
      transposed(std::move(rows), group.front().access->buffer->name + "_tile", read);
  for (const StridedLoad& column : group) {
    const std::int64_t place = column.offset - offset;
    if (place >= 0 && place < lanes) read.replace(column, columns[static_cast<std::size_t>(place)]);
  }
}

void transpose_squares(const StridedGroup& columns, const Analyzer& facts, ReadBefore& read) {
  const int lanes = columns.front().load.type().lanes;
  int side_by_side = 0;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::int64_t offset = columns[i].offset;
    if (i > 0 && offset == columns[i - 1].offset) continue;
    if (i > 0 && offset != columns[i - 1].offset + 1) side_by_side = 0;
    if (++side_by_side < lanes) continue;
    transpose_square(columns, offset - lanes + 1, facts, read);
    side_by_side = 0;
  }
}

}  // namespace

Function transpose_tiles(const Function& f, const target::Target& target) {
  const auto is_column = [&](const StridedLoad& column) {
    const DataType type = column.load.type();
    const auto stride = constant_int(column.lanes->stride);
    if (column.has_mask() || (stride && *stride < std::max<std::int64_t>(nearest_rows, type.lanes)))
      return false;
    // As many columns as lanes are in registers at once, beside what they are made of.
    return std::has_single_bit(static_cast<unsigned>(type.lanes)) && !type.is_bool() && type.bits >= 8 &&
           type.lanes <= target.vector_registers / 2;
  };
  return rewrite_strided_runs(f, {is_column, transpose_squares});
}

}  // namespace ardea::lower
