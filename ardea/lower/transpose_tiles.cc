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

/// The square whose columns begin with the place at `offset`; what it makes of those from `first` on is used.
void transpose_square(const StridedGroup& group, std::int64_t offset, std::int64_t first,
                      const Analyzer& facts, ReadBefore& read) {
  const int lanes = group.front().load.type().lanes;
  std::vector<Var> rows;
  for (int row = 0; row < lanes; ++row) rows.push_back(read.row(group, offset, row, facts));
  const std::vector<Var> columns =
      transposed(std::move(rows), group.front().access->buffer->name + "_tile", read);
  for (const StridedLoad& column : group) {
    const std::int64_t place = column.offset - offset;
    if (column.offset >= first && place < lanes)
      read.replace(column, columns[static_cast<std::size_t>(place)]);
  }
}

/// Squares one after the other from the first column of a run on. The last columns, where they are too few
/// for one, are the end of a square that begins within the one before: all that it reads is read anyway.
void transpose_run(const StridedGroup& group, std::int64_t begin, std::int64_t end, const Analyzer& facts,
                   ReadBefore& read) {
  const int lanes = group.front().load.type().lanes;
  if (end - begin < lanes) return;
  for (std::int64_t first = begin; first < end; first += lanes)
    transpose_square(group, std::min(first, end - lanes), first, facts, read);
}

void transpose_squares(const StridedGroup& columns, const Analyzer& facts, ReadBefore& read) {
  std::int64_t begin = columns.front().offset, end = begin;
  for (const StridedLoad& column : columns) {
    if (column.offset > end) {
      transpose_run(columns, begin, end, facts, read);
      begin = column.offset;
    }
    end = column.offset + 1;
  }
  transpose_run(columns, begin, end, facts, read);
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
