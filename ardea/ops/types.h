#pragma once

#include <string>
#include <vector>

#include "ardea/support/data_type.h"

/// Which types an operator can have, as a table (types.cc), and what it takes where none is named.

namespace ardea::ops {

/// What an operator does with its values: this decides its types.
enum class Arithmetic {
  products,     ///< sums of products: matrix products, convolutions
  sums,         ///< sums of values
  elementwise,  ///< one value of each input: add, mul, bias_add
  order,        ///< comparisons: relu, max
  real,         ///< quotients, roots, exponentials
  moves,        ///< values stay as they are: transpose
  places,       ///< comparisons whose result is a position: argmax
};

/// Values are cast to `acc`, computed and reduced in it, and cast to `out` (docs/semantics.md: float to
/// integer truncates and saturates, integer to integer wraps). no_type asks for the default.
struct Types {
  DataType acc = no_type, out = no_type;
  friend bool operator==(const Types&, const Types&) = default;
};

/// The types with defaults in place of no_type.
///
/// acc: float32 for floats of 8, 16 and 32 bits, float64 with a float64 among the inputs, int32 for integers
/// (int64 for int64); comparisons need no wider type and take the input's own.
/// out: the type of the first input, except that sums and products of integers, storage types (int4, float8)
/// and mixed inputs of element-wise operators give acc. Positions are int32, or int64.
///
/// Error, beginning with `call`, where the table has no such combination.
Types resolved(const std::string& call, Arithmetic arithmetic, const std::vector<DataType>& in, Types wanted);

/// The types that an input may have, that inputs of type `in` may be computed in (the default first), and
/// that values of an accumulator may be stored as.
std::vector<DataType> accepted_inputs(Arithmetic arithmetic);
std::vector<DataType> accepted_accumulators(Arithmetic arithmetic, const std::vector<DataType>& in);
std::vector<DataType> accepted_outputs(DataType acc);

/// "float16, float32 or float64".
std::string list_types(const std::vector<DataType>& types);

}  // namespace ardea::ops
