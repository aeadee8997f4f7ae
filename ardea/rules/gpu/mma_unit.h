#pragma once

#include <optional>
#include <string>

#include "ardea/rules/analysis/matrix_product.h"
#include "ardea/target/target.h"

namespace ardea::rules {

/// The tensor instructions of a GPU for one product of matrices, by the names of their records: sums of 16 ×
/// 8 that a warp holds, of `depth` products each.
struct MmaUnit {
  static constexpr std::int64_t rows = 16, columns = 8;
  static constexpr std::int64_t row_bytes =
      16;  ///< that are loaded of a row at once, on a multiple of as many
  static constexpr std::int64_t columns_loaded = 16;  ///< of the right factor at once

  std::int64_t depth = 16;
  std::string product, zero;
  std::string load_a;  ///< of rows of m
  std::string load_b;  ///< of rows of k; empty where only rows of n can be loaded
  std::string load_b_by_columns;

  /// That takes the sums to memory as the type; empty where there is none.
  std::string store_as(DataType type) const;

  DataType sums = float32;
};

/// Whether its record lists shapes of a family of instructions, "mma" or "wmma": one that leaves them out has
/// none for the rules.
bool has_unit_of_family(const target::Target& target, const std::string& family);

/// How names of records spell a type; empty of one that has none. Products of float32 round their factors
/// there, which a program that does not say so does not allow.
std::string spelled_in_records(DataType type);
/// The name, where there is a record of it; else empty.
std::string record_if_there(const std::string& name);

/// Nothing where the target has none for these types.
std::optional<MmaUnit> mma_unit(const MatrixProduct& product, const target::Target& target);

}  // namespace ardea::rules
