#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ardea/ir/function.h"
#include "ardea/ops/count.h"
#include "ardea/ops/types.h"
#include "ardea/te/tensor.h"

/// The operators by name: what `ardea ops` lists, and what OP SHAPE on the command line means.

namespace ardea::ops {

/// One operator with its sizes and types.
struct Workload {
  std::string op;
  std::vector<std::int64_t> sizes;  ///< in the operator's order
  /// In make_workload's argument: none (float32), one for all inputs, or one for each. Afterwards one for
  /// each.
  std::vector<DataType> in = {};
  DataType acc = no_type, out = no_type;  ///< no_type asks for the default
  std::string layout = {};                ///< empty asks for the operator's first
  bool transpose_b = false;
  friend bool operator==(const Workload&, const Workload&) = default;
};

struct Size {
  std::string name;
  std::int64_t least = 1;
  std::optional<std::int64_t> otherwise = {};  ///< its value where it is not given; such sizes come last
};

struct Input {
  std::string name;
  std::string shape;  ///< in terms of the sizes, for reading
  /// A bias of a product: where one type is named for all inputs and that is an integer or a storage type,
  /// this input has the accumulator's.
  bool follows_accumulator = false;
};

using Shape = std::vector<Count>;

struct Operator {
  std::string name;
  std::string doc;      ///< a paragraph
  std::string formula;  ///< one line
  std::vector<Size> sizes;
  std::vector<std::string> layouts = {};  ///< the default first; empty where there is no choice
  bool can_transpose_b = false;
  Arithmetic arithmetic;  ///< which types it takes: types.h
  std::vector<Input> inputs;
  std::string output;        ///< its shape in terms of the sizes, for reading
  std::string flop_formula;  ///< an addition, product, comparison, quotient or function is one

  /// The shapes of the inputs, then of the output (an extent may come out as less than 1).
  std::function<std::vector<Shape>(const Workload&)> shapes;
  std::function<te::Tensor(const Workload&, const std::vector<te::Tensor>& inputs)> result;
  std::function<Count(const Workload&)> count_flops;
};

/// All of them, in the order of the documentation.
const std::vector<Operator>& operators();

/// Error, with the nearest names, where there is none.
const Operator& find(const std::string& name);

/// What stands between commas.
std::vector<std::string> parts_of(const std::string& text);

/// "64,64,64" → its numbers, "uint8,int8" → its types. Error on anything else.
std::vector<std::int64_t> parse_sizes(const std::string& text);
std::vector<DataType> parse_types(const std::string& text);

/// "m,k,n", "n,w,…,dilation[,output_padding]".
std::string size_names(const Operator& op);

/// The workload with every default filled in. Error where the operator is unknown, a size is missing, too
/// many or too small, an array or the number of operations does not fit in 63 bits, an extent of the output
/// comes out as less than 1, or a type or layout is not among the operator's.
Workload make_workload(Workload wanted);

/// The value of a size, by its name. For workloads from make_workload, as all below.
std::int64_t size(const Workload& w, const std::string& name);

/// The arguments in order: inputs, then the output.
std::vector<te::Tensor> build(const Workload& w);

/// build's arguments as a program of blocks.
Function create_function(const Workload& w, const std::string& name = "main");

/// Operations by the operator's flop_formula.
std::int64_t flops(const Workload& w);
/// Every input read once, the output written once.
std::int64_t bytes(const Workload& w);

/// "c2d 1,8,8,3,4,3,3,1,1,1 in=float16,float16 acc=float32 out=float16 layout=nchw": one line that names all.
std::string to_string(const Workload& w);

}  // namespace ardea::ops
