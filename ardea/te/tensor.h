#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "ardea/ir/literals.h"
#include "ardea/te/reduce.h"

/// Tensors and the operations that make them: a graph that create_prim_func turns into a program of blocks.

namespace ardea::te {

/// One index of an element: an expression, an axis or a number.
struct Index {
  Expr expr;
  Index(Expr e) : expr(std::move(e)) {}
  Index(const Var& v) : expr(v) {}
  Index(const Axis& a) : expr(a.var) {}
  template <std::integral T>
  Index(T value) : expr(make_int(static_cast<std::int64_t>(value))) {}
};

/// Extents, of which each may be a number or an expression: {n, 3, 4}.
class Shape {
 public:
  Shape(std::initializer_list<Index> extents);
  Shape(std::vector<Expr> extents) : extents_(std::move(extents)) {}
  Shape(const std::vector<std::int64_t>& extents);
  const std::vector<Expr>& extents() const { return extents_; }

 private:
  std::vector<Expr> extents_;
};

/// One result of an operation. A handle: copies are the same tensor.
class Tensor {
 public:
  Tensor() = default;
  Tensor(std::shared_ptr<const Operation> operation, std::size_t output);

  bool defined() const { return operation_ != nullptr; }
  const std::shared_ptr<const Operation>& operation() const { return operation_; }
  std::size_t output() const { return output_; }

  const Buffer& buffer() const;
  const std::string& name() const { return buffer()->name; }
  DataType type() const { return buffer()->type; }
  const std::vector<Expr>& shape() const { return buffer()->shape; }
  std::size_t rank() const { return shape().size(); }

  /// The element A(i, j). Error on a wrong number of indices.
  template <class... Indices>
    requires(std::convertible_to<Indices, Index> && ...)
  Expr operator()(const Indices&... indices) const {
    return at({Index(indices).expr...});
  }
  Expr at(std::vector<Expr> indices) const;

  friend bool operator==(const Tensor& a, const Tensor& b) {
    return a.operation_ == b.operation_ && a.output_ == b.output_;
  }

 private:
  std::shared_ptr<const Operation> operation_;
  std::size_t output_ = 0;
};

/// An input of the program.
struct Placeholder {};

/// Each output element from others: expressions, or one reduction with a result for each output.
struct Compute {
  std::vector<Axis> axes;  ///< of the outputs
  std::variant<std::vector<Expr>, Reduction> body;
};

/// A recurrence along the first dimension: `init` are the first steps, `update` is the next one, in terms of
/// `state`, which stands for the steps before.
struct Scan {
  Axis step;  ///< [steps of init, steps of the state)
  std::vector<Tensor> init, update, state;
  /// Operations that depend on the state, inputs first, the updates among them: they run once a step.
  std::vector<std::shared_ptr<const Operation>> cell;
};

/// A statement written by hand that fills the outputs from the inputs.
struct Extern {
  Stmt body;
  /// Declared where the body gives addresses away; else they follow from the code.
  std::optional<std::vector<BufferRegion>> reads = {}, writes = {};
};

struct Operation {
  std::string name;
  std::vector<Buffer> outputs;
  std::vector<Tensor> inputs;  ///< tensors that it reads, in the order of first use
  std::variant<Placeholder, Compute, Scan, Extern> kind;

  template <class Kind>
  const Kind* as() const {
    return std::get_if<Kind>(&kind);
  }
};

/// How an input lies in memory, where that is not row by row without gaps from any element on.
struct Layout {
  /// In elements, one for each dimension: numbers, or variables that are read from the array at the call.
  /// {lda, 1} are rows that are lda elements apart, {1, lda} is a transposed view of such a matrix. None
  /// means without gaps.
  Shape strides = std::vector<Expr>{};
  /// Promised of where the array begins, a power of two: a call with one that begins elsewhere is an error. 0
  /// promises nothing, and the array may begin on any element.
  std::int64_t alignment_bytes = 0;
};

/// An input of the program. Its first element is where the array begins that the caller gives.
Tensor placeholder(std::string name, const Shape& shape, DataType type = float32, const Layout& layout = {});

/// A symbolic extent: `Var n = te::size("n")`.
Var size(std::string name);

/// All results of an operation.
std::vector<Tensor> results(const std::shared_ptr<const Operation>& operation);

/// Makes an operation known, so that its buffers lead back to it. For this folder.
std::shared_ptr<const Operation> publish(Operation operation);

/// The tensor that a buffer belongs to, or an empty one.
Tensor tensor_of(const Buffer& buffer);

/// The tensors that an expression or a statement mentions, in the order of first use.
std::vector<Tensor> tensors_in(const Expr& e);
std::vector<Tensor> tensors_in(const Stmt& s);

}  // namespace ardea::te
