#pragma once

#include <cstdint>
#include <vector>

#include "ardea/support/data_type.h"
#include "ardea/target/target.h"

/// How many partial results a reduction along rows keeps in vector registers.

namespace ardea::rules {

struct LaneSum {
  std::int64_t rows = 1;     ///< that are summed side by side
  std::int64_t vectors = 1;  ///< of partial results of each row
  std::int64_t lanes = 1;    ///< of one vector
  std::int64_t width() const { return lanes * vectors; }
};

/// What is reduced: `rows` of `extent` numbers each, every one of them as often as there are `others` that it
/// meets.
struct Rows {
  std::int64_t rows = 1, others = 1, extent = 1;
};

/// As many partial results as keep the units of a core busy while additions are under way, in half of the
/// registers; no more than there are rows and numbers. All are powers of two.
LaneSum lane_sum_for(const Rows& rows, int bits, const target::Target& target);

/// The same for parts of one row, which come out of memory one after the other: a line of a part at a time,
/// and as many parts as keep the units busy.
LaneSum lane_sum_of_parts(const Rows& parts, int bits, const target::Target& target);

/// Numbers of partial results of a row that are worth trying beside `model`: powers of two of whole vectors,
/// as far as there are numbers; less than a vector where there are fewer.
std::vector<std::int64_t> widths_for(const Rows& rows, int bits, const target::Target& target,
                                     std::int64_t model);

/// So many partial results, in vectors of the machine, of `at_once` rows or as many as half of the registers
/// hold.
LaneSum lane_sum_of(std::int64_t width, const Rows& rows, std::int64_t at_once, int bits,
                    const target::Target& target);

/// Whether numbers of this type are summed in registers as they are.
bool is_summed(DataType type);

}  // namespace ardea::rules
