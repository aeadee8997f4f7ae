#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "ardea/support/data_type.h"

/// Expressions: a closed variant of plain structs behind a shared immutable handle.

namespace ardea {

struct ExprNode;
struct BufferNode;
struct Intrinsic;  // intrinsics.h

/// Throws Error: an empty handle (`Expr s;`) was used as if it held `what`. Out of line: a handle is asked
/// often.
[[noreturn]] void refuse_empty(const char* what);

/// What C++ counts with. Not bool: `A(i) == B(i)` asks for identity, and its answer must not pass for an
/// expression.
template <class T>
concept Number = std::is_arithmetic_v<T> && !std::same_as<T, bool>;

/// A shared immutable expression. `==` is identity; structurally_equal (equal.h) compares meaning up to
/// renaming.
class Expr {
 public:
  Expr() = default;  ///< empty: it may be copied, compared and asked whether it is `defined`; all else throws
                     ///< Error
  template <class Node>
  Expr(DataType type, Node node);
  /// A constant: an integer is int64, a float float32, a double float64. In an operator it takes the type of
  /// what stands beside it (literals.h), so that `x * 0.5`, `2 * i` and `Expr s = 0; s += x` need no cast.
  template <Number T>
  Expr(T value);

  /// Not `operator bool`: `A(i) > 0 ? a : b` and `std::max(A(i), B(i))` would keep one side in silence.
  bool defined() const { return node_ != nullptr; }
  DataType type() const;

  /// The node if it is a `Node`, else nullptr.
  template <class Node>
  const Node* as() const;
  template <class Node>
  bool is() const {
    return as<Node>() != nullptr;
  }
  /// For std::visit with `overloaded` (support/overloaded.h).
  const auto& variant() const;

  const ExprNode* get() const { return node_.get(); }
  friend bool operator==(const Expr& a, const Expr& b) { return a.node_ == b.node_; }
  template <Number T>
  friend bool operator==(const Expr&, T) = delete;  // == is identity: write equals(i, 4) or not_equals(i, 4)

 private:
  std::shared_ptr<const ExprNode> node_;
};

/// A variable is its identity; its name is for people.
class Var : public Expr {
 public:
  Var() = default;  ///< empty
  explicit Var(std::string name, DataType type = int64);
  /// `e` must be a variable.
  explicit Var(const Expr& e);
  const std::string& name() const;

  // A variable is its identity and has no other value: write `Expr e = i; e += 1`.
  template <class T>
  void operator+=(const T&) = delete;  // write Expr e = i; e += …
  template <class T>
  void operator-=(const T&) = delete;  // write Expr e = i; e -= …
  template <class T>
  void operator*=(const T&) = delete;  // write Expr e = i; e *= …
  template <class T>
  void operator/=(const T&) = delete;  // write Expr e = i; e /= …
  template <class T>
  void operator%=(const T&) = delete;  // write Expr e = i; e %= …
};

/// Where elements live, and how. A buffer is its identity; two buffers alias where they share `data`.
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(BufferNode node);

  bool defined() const { return node_ != nullptr; }
  const BufferNode* operator->() const { return &**this; }
  const BufferNode& operator*() const {
    if (!node_) [[unlikely]]
      refuse_empty("buffer");
    return *node_;
  }
  const BufferNode* get() const { return node_.get(); }
  friend bool operator==(const Buffer& a, const Buffer& b) { return a.node_ == b.node_; }

 private:
  std::shared_ptr<const BufferNode> node_;
};

struct BufferNode {
  std::string name;
  Var data;  ///< the allocation; buffers with one `data` are views of the same memory
  DataType type = float32;
  std::vector<Expr> shape;
  std::vector<Expr> strides = {};  ///< in elements; empty means compact row-major
  Expr element_offset = {};        ///< in elements from `data`; empty means 0
  std::string scope = "global";
  /// Promised for `data`, a power of two; 0 promises nothing beyond what such memory has
  /// (memory_alignment.h).
  std::int64_t alignment_bytes = 0;
};

struct IntImm {
  std::int64_t value;  ///< uint64 above 2^63 keeps its bits; bool is 0 or 1
};
struct FloatImm {
  double value;  ///< representable in the expression's type
};
struct StringImm {
  std::string value;
};
struct VarNode {
  std::string name;
};
struct Cast {
  Expr value;
};

enum class UnaryOp { negate, logical_not, bit_not };
struct Unary {
  UnaryOp op;
  Expr operand;
};

enum class BinaryOp {
  add,
  sub,
  mul,
  div,
  floor_div,
  floor_mod,
  trunc_div,
  trunc_mod,
  min,
  max,
  eq,
  ne,
  lt,
  le,
  gt,
  ge,
  logical_and,
  logical_or,
  bit_and,
  bit_or,
  bit_xor,
  shift_left,
  shift_right,
};
/// `div` is for floats, the four other divisions for integers. Both operands have one type; comparisons give
/// bool.
struct Binary {
  BinaryOp op;
  Expr left, right;
};

/// Both sides are evaluated. The lazy form is the intrinsic if_then_else.
struct Select {
  Expr condition, when_true, when_false;
};
struct Let {
  Var var;
  Expr value, body;
};
/// Element of `buffer`. The type is the buffer's element type, with the lanes of the index that has lanes.
/// Lanes where `predicate` (a bool vector; empty means all) is false touch no memory and read as 0.
struct Load {
  Buffer buffer;
  std::vector<Expr> indices;
  Expr predicate = {};
};
struct Call {
  const Intrinsic* op;
  std::vector<Expr> arguments;
};
/// base, base + stride, …: lanes by the expression's type.
struct Ramp {
  Expr base, stride;
};
struct Broadcast {
  Expr value;
};
/// Lanes picked from the vectors, read as one after another.
struct Shuffle {
  std::vector<Expr> vectors;
  std::vector<std::int64_t> indices;
};

struct ExprNode {
  using Variant = std::variant<IntImm, FloatImm, StringImm, VarNode, Cast, Unary, Binary, Select, Let, Load,
                               Call, Ramp, Broadcast, Shuffle>;
  DataType type;
  Variant value;
};

template <class Node>
Expr::Expr(DataType type, Node node)
    : node_(std::make_shared<const ExprNode>(ExprNode{type, typename ExprNode::Variant(std::move(node))})) {}

inline DataType Expr::type() const {
  if (!node_) [[unlikely]]
    refuse_empty("expression");
  return node_->type;
}

template <class Node>
const Node* Expr::as() const {
  return node_ ? std::get_if<Node>(&node_->value) : nullptr;
}

inline const auto& Expr::variant() const {
  if (!node_) [[unlikely]]
    refuse_empty("expression");
  return node_->value;
}

inline const std::string& Var::name() const { return std::get<VarNode>(variant()).name; }

bool is_comparison(BinaryOp op);          ///< eq … ge
bool is_integer_division(const Expr& e);  ///< a quotient or a remainder, which stops at a divisor of 0

// Makers check types and throw Error on a mismatch; none of them folds or simplifies, so that text keeps its
// form.

Expr make_int(std::int64_t value, DataType type = int64);
Expr make_bool(bool value);
Expr make_float(double value, DataType type = float32);  ///< rounds to the type
Expr make_string(std::string value);
/// An integer or float constant of any scalar or vector (broadcast) type.
Expr make_const(double value, DataType type);
Expr make_cast(DataType type, Expr value);  ///< the value itself where it has that type already
Expr make_unary(UnaryOp op, Expr operand);
Expr make_binary(BinaryOp op, Expr left, Expr right);
Expr make_select(Expr condition, Expr when_true, Expr when_false);
Expr make_let(Var var, Expr value, Expr body);
Expr make_load(Buffer buffer, std::vector<Expr> indices, Expr predicate = {});
Expr make_ramp(Expr base, Expr stride, std::int64_t lanes);
Expr make_broadcast(Expr value, std::int64_t lanes);
Expr make_shuffle(std::vector<Expr> vectors, std::vector<std::int64_t> indices);

/// The value of an integer (or bool) constant.
std::optional<std::int64_t> constant_int(const Expr& e);

// Operators build nodes. A constant takes the type of the other side.
Expr operator+(const Expr& a, const Expr& b);
Expr operator-(const Expr& a, const Expr& b);
Expr operator*(const Expr& a, const Expr& b);
Expr operator/(const Expr& a, const Expr& b);  ///< floats only
Expr operator%(const Expr& a, const Expr& b);  ///< floor_mod, as `%` in text: never negative for a positive b
Expr operator-(const Expr& a);
Expr& operator+=(Expr& a, const Expr& b);
Expr& operator-=(Expr& a, const Expr& b);
Expr& operator*=(Expr& a, const Expr& b);
Expr& operator/=(Expr& a, const Expr& b);
Expr& operator%=(Expr& a, const Expr& b);
Expr floor_div(const Expr& a, const Expr& b);  ///< rounded down, `//` in text
Expr floor_mod(const Expr& a, const Expr& b);
Expr trunc_div(const Expr& a, const Expr& b);  ///< rounded towards 0, as C++ divides
Expr trunc_mod(const Expr& a, const Expr& b);
Expr min(const Expr& a, const Expr& b);
Expr max(const Expr& a, const Expr& b);
Expr operator<(const Expr& a, const Expr& b);
Expr operator<=(const Expr& a, const Expr& b);
Expr operator>(const Expr& a, const Expr& b);
Expr operator>=(const Expr& a, const Expr& b);
Expr equals(const Expr& a, const Expr& b);  ///< an expression; `==` is identity
Expr not_equals(const Expr& a, const Expr& b);
// Named, because C++ promises that `&&` and `||` stop early. An Expr is never a bool: `if (i < 4)` does not
// compile.
Expr logical_and(const Expr& a, const Expr& b);
Expr logical_or(const Expr& a, const Expr& b);
Expr logical_not(const Expr& a);

/// A number that int64 does not hold is no constant.
[[noreturn]] void refuse_large_literal(std::uint64_t value);

template <Number T>
Expr::Expr(T value) {
  if constexpr (std::floating_point<T>) {
    *this = make_float(static_cast<double>(value), std::same_as<T, float> ? float32 : float64);
  } else {
    if (!std::in_range<std::int64_t>(value)) [[unlikely]]
      refuse_large_literal(static_cast<std::uint64_t>(value));
    *this = make_int(static_cast<std::int64_t>(value));
  }
}

/// True where the bits of two constants are the same, or the handles are.
bool is_zero(const Expr& e);
bool is_one(const Expr& e);
bool is_true(const Expr& e);  ///< the constant True, or an empty handle (an absent predicate)

}  // namespace ardea

template <>
struct std::hash<ardea::Expr> {
  std::size_t operator()(const ardea::Expr& e) const { return std::hash<const void*>()(e.get()); }
};
template <>
struct std::hash<ardea::Var> {
  std::size_t operator()(const ardea::Var& v) const { return std::hash<const void*>()(v.get()); }
};
template <>
struct std::hash<ardea::Buffer> {
  std::size_t operator()(const ardea::Buffer& b) const { return std::hash<const void*>()(b.get()); }
};
