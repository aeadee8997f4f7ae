#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ardea/ir/builder.h"
#include "tests/random/random_program.h"

/// What the parts of the generator share while one program grows.

namespace ardea::random_programs {

/// The extent of a dimension: a number, or an expression over symbolic extents that is at least 1.
struct Axis {
  Expr extent;
  std::optional<std::int64_t> size = {};  ///< where it is a number
  std::int64_t nominal = 0;               ///< the size, or a guess where it is symbolic: to limit the work
};

bool same_axis(const Axis& a, const Axis& b);

struct Tensor {
  Buffer buffer;
  std::vector<Axis> axes;
  double magnitude = 1;    ///< of floats: no element is larger, as far as that is controlled
  bool parameter = false;  ///< of the function
};

/// A value in [0, axis.extent).
struct Index {
  Expr value;
  Axis axis;
};

/// What the body of a block may use beside the tensors.
struct Scope {
  std::vector<Index> indices;
  std::vector<Buffer> hidden = {};  ///< tensors that may not be read here
};

class ProgramState {
 public:
  ProgramState(Random& random, const RandomProgramOptions& options, const std::string& name);

  Random& random() { return random_; }
  const RandomProgramOptions& options() const { return options_; }
  FunctionBuilder& builder() { return builder_; }
  bool smooth() const { return options_.floats == FloatUse::smooth; }

  /// The type of all indices of the program, and a constant of it.
  DataType index_type() const { return index_type_; }
  Expr index(std::int64_t value) const { return make_int(value, index_type_); }

  Axis axis(std::int64_t size) const;
  /// An extent computed from symbolic ones.
  Axis axis(Expr extent, std::int64_t nominal) const;
  /// One of the program's axes; a fixed one has a number for its extent.
  Axis any_axis();
  Axis fixed_axis();
  /// `count` axes that together have at most `most` elements.
  std::vector<Axis> some_axes(int count, std::int64_t most = 700);

  std::string fresh_name(const std::string& stem);
  DataType element_type();
  DataType integer_type();  ///< of 8 bits and more
  DataType float_type();    ///< that can be computed with

  /// A new array argument, readable from now on.
  Tensor input(const std::vector<Axis>& axes, DataType type);
  /// Memory for a result: an allocation, or an argument. Readable after `publish`.
  Tensor result(const std::vector<Axis>& axes, DataType type, bool must_be_parameter = false);
  void publish(Tensor tensor) { tensors_.push_back(std::move(tensor)); }
  std::vector<Tensor>& tensors() { return tensors_; }
  const std::vector<Var>& scalars() const { return scalars_; }

  bool last_stage = false;  ///< results must be arguments, else nobody sees them

 private:
  void choose_axes();
  void choose_scalars();

  Random& random_;
  const RandomProgramOptions& options_;
  FunctionBuilder builder_;
  DataType index_type_ = int64;
  bool symbolic_ = false;
  std::vector<Axis> axes_;
  std::vector<Tensor> tensors_;
  std::vector<Var> scalars_;
  int names_ = 0;
};

/// The smallest type that can be computed with for values that are stored as `type`.
DataType computing_type(DataType type);

}  // namespace ardea::random_programs
