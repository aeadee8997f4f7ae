#pragma once

#include <map>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ardea/ir/expr.h"

/// The types and small functions that a text needs beside C's own. Each is defined when it is first asked
/// for, after those that it uses.

namespace ardea::codegen::c {

class Helpers {
 public:
  /// `calls_masked`: what moves rows under a mask is not inlined.
  explicit Helpers(bool calls_masked) : calls_masked_(calls_masked) {}

  /// The C type of a value: bool, int32_t, float, void*, float32x8. float16 is its bits.
  std::string type(DataType type);
  /// Of an element in memory: bool is a byte.
  static std::string memory_type(DataType element);
  /// The vector of signed integers that a comparison gives: all bits of a lane, or none.
  std::string mask_type(int bits, int lanes);

  // Each of these gives the name of a function of one or two values of the type, vectors lane by lane.

  /// Integer division, shifts, minimum and maximum (floats too) as docs/semantics.md has them.
  std::string operation(BinaryOp op, DataType type);
  std::string absolute(DataType integer);
  /// `which`: popcount or clz.
  std::string count_bits(const std::string& which, DataType integer);
  /// From and to float16, and from floats to integers: the conversions that C's own do not give.
  std::string conversion(DataType from, DataType to);
  /// A function of <math.h>, or exp10, which is not there.
  std::string math(const std::string& name, int arity, DataType type);
  /// x * 2^n.
  std::string scaled(DataType type);
  /// (index, table): T.lookup.
  std::string lookup(DataType index, DataType table);
  std::string reinterpret(DataType from, DataType to);

  // Vectors. Memory is given by a pointer to elements, which need not have been written as such.

  std::string broadcast(DataType type);
  std::string ramp(DataType type);
  std::string select(DataType type);  ///< (mask of the elements' width, a, b)
  std::string load(DataType type);    ///< (pointer); scalars too
  std::string store(DataType type);   ///< (pointer, value); scalars too
  /// (pointer, first or indices, [mask]); `indexed`: a vector of int64 says where each lane lies.
  std::string load_lanes(DataType type, bool indexed, bool masked);
  std::string store_lanes(DataType type, bool indexed, bool masked);

  /// (bytes so far, count): their product, -1 where it is beyond 63 bits; a negative count is none.
  std::string checked_size();

  /// The implementation of a tensor instruction: C text in which $function stands for its name.
  std::string instruction(const std::string& record, const std::string& implementation);

  std::string fail_with(std::size_t values);  ///< (sentence, value, …)
  /// One of: fail, tensor_of, tensor_data, tensor_stride, tensor_type.
  std::string abi(const std::string& name);

  /// All that was asked for, in order.
  std::string text() const;
  bool has_vectors() const { return !vector_types_.empty(); }

 private:
  using Words = std::vector<std::pair<std::string, std::string>>;
  /// Adds the function once; `text` with each $word replaced.
  std::string define(const std::string& name, const std::string& text, Words words = {});
  /// name(a, b, …) on vectors: the scalar function on each lane.
  std::string lanewise(const std::string& name, const std::string& scalar, DataType result, DataType operand,
                       int arity);
  std::string float_extremum(BinaryOp op, DataType type);
  std::string scalar_operation(BinaryOp op, DataType type);
  std::string half_conversion(DataType from, DataType to);

  bool calls_masked_;
  std::string vector_types_, functions_;
  std::unordered_set<std::string> defined_, vector_names_;
};

/// "int32", "float32x8": what helpers' names end in.
std::string suffix(DataType type);

/// The unsigned C type in which arithmetic on a type of that many bits wraps: at least 32, as C promotes
/// less.
std::string wrapping_type(int bits);

}  // namespace ardea::codegen::c
