#pragma once

#include <cstdint>
#include <istream>
#include <span>
#include <string>
#include <vector>

#include "ardea/support/data_type.h"

namespace ardea::runtime {

/// What stands before the elements of a `.npy` file.
struct NpyHeader {
  std::vector<std::int64_t> shape;
  DataType type;
  std::int64_t bytes = 0;  ///< of the header itself: where the elements begin
};

/// The header of version 1.0, padded so that the elements begin at a multiple of 64. Requires a type that
/// NumPy has.
std::string npy_header(std::span<const std::int64_t> shape, DataType type);

/// Reads versions 1.0 to 3.0. Whatever is not such a header is an Error that begins with `call`.
NpyHeader read_npy_header(const std::string& call, std::istream& file);

}  // namespace ardea::runtime
