#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ardea/ir/expr.h"

/// Statements and blocks: a closed variant of plain structs behind a shared immutable handle.

namespace ardea {

struct StmtNode;

/// A shared immutable statement. `==` is identity.
class Stmt {
 public:
  Stmt() = default;
  template <class Node>
    requires(!std::is_same_v<Node, Stmt>)
  Stmt(Node node);  // implicit: a node is a statement

  bool defined() const { return node_ != nullptr; }
  template <class Node>
  const Node* as() const;
  template <class Node>
  bool is() const {
    return as<Node>() != nullptr;
  }
  const auto& variant() const;
  const StmtNode* get() const { return node_.get(); }
  friend bool operator==(const Stmt& a, const Stmt& b) { return a.node_ == b.node_; }

 private:
  std::shared_ptr<const StmtNode> node_;
};

/// The value of an annotation: a constant, an integer of the program's sizes and scalars, or a list.
struct Attribute {
  std::variant<Expr, std::vector<Attribute>> value;
};
using Attributes = std::map<std::string, Attribute>;

/// The integer constant under `key`, or `fallback`.
std::int64_t integer_attribute(const Attributes& attributes, const std::string& key, std::int64_t fallback);

/// [min, min + extent)
struct Range {
  Expr min, extent;
};

struct BufferRegion {
  Buffer buffer;
  std::vector<Range> region;
};

/// buffer[indices] = value, on the lanes where `predicate` is true (empty means all).
struct Store {
  Buffer buffer;
  std::vector<Expr> indices;
  Expr value;
  Expr predicate = {};
};

enum class ForKind { serial, parallel, vectorized, unrolled, thread_binding, virtual_thread };

/// Block form: every kind means the serial loop. In lowered form (Function attribute "concurrent_threads")
/// thread-bound loops run concurrently.
struct For {
  Var var;
  Expr min, extent;
  ForKind kind = ForKind::serial;
  Stmt body = {};
  std::string thread = {};  ///< "threadIdx.x", "blockIdx.y", "vthread.x" where the kind is a thread's
  Attributes annotations = {};
};

struct If {
  Expr condition;
  Stmt then_case;
  Stmt else_case = {};  ///< may be empty
};

/// At least one statement; an empty sequence is Evaluate{0} in text (`pass` prints as T.evaluate(0)).
struct Seq {
  std::vector<Stmt> statements;
};

/// Memory for the length of `body`; `data` is its handle. Buffers over it are declared by DeclareBuffer.
struct Allocate {
  Var data;
  DataType type;
  std::vector<Expr> extents;
  std::string scope = "global";
  Stmt body = {};
  Attributes annotations = {};
};

/// A view of an allocation, or of a parameter's memory, for the length of `body`.
struct DeclareBuffer {
  Buffer buffer;
  Stmt body = {};
};

struct LetStmt {
  Var var;
  Expr value;
  Stmt body = {};
};

/// Stops the program with `message` where the condition is false.
struct Assert {
  Expr condition;
  std::string message;
};

struct Evaluate {
  Expr value;
};

enum class IteratorKind { spatial, reduce, ordered, opaque };

/// A block iterator: ranges over `domain`, and is `binding` of the enclosing loops in each instance.
struct BlockIterator {
  Var var;
  Range domain;
  IteratorKind kind = IteratorKind::spatial;
  Expr binding;
};

/// In `body`, `buffer` stands for the region `source`: element 0 of one is the corner of the other.
struct MatchBuffer {
  Buffer buffer;
  BufferRegion source;
};

/// Identifies a block across rewrites that keep it. Code that copies a block mints a new id.
struct BlockId {
  std::uint64_t value = 0;
  static BlockId fresh();
  friend auto operator<=>(const BlockId&, const BlockId&) = default;
};

/// TensorIR's block: a computation isolated from its loops. Runs `init` first in the instances where every
/// reduce iterator is at the start of its domain, then `body`; nothing where `predicate` is false.
struct Block {
  BlockId id = BlockId::fresh();
  std::string name;
  std::vector<BlockIterator> iterators = {};
  Expr predicate = {};  ///< over the loops around; empty means true
  /// What the body touches, over the iterators. Absent where the text left them out, until
  /// arith::complete_regions.
  std::optional<std::vector<BufferRegion>> reads = {}, writes = {};
  std::vector<Buffer> allocations = {};
  std::vector<MatchBuffer> matches = {};
  Attributes annotations = {};
  Stmt init = {};  ///< may be empty
  Stmt body = {};
};

struct StmtNode {
  using Variant =
      std::variant<Store, For, If, Seq, Allocate, DeclareBuffer, LetStmt, Assert, Evaluate, Block>;
  Variant value;
};

template <class Node>
  requires(!std::is_same_v<Node, Stmt>)
Stmt::Stmt(Node node)
    : node_(std::make_shared<const StmtNode>(StmtNode{typename StmtNode::Variant(std::move(node))})) {}

template <class Node>
const Node* Stmt::as() const {
  return node_ ? std::get_if<Node>(&node_->value) : nullptr;
}

inline const auto& Stmt::variant() const {
  if (!node_) [[unlikely]]
    refuse_empty("statement");
  return node_->value;
}

// Makers check types and throw Error on a mismatch.

Stmt make_store(Buffer buffer, std::vector<Expr> indices, Expr value, Expr predicate = {});
/// Nested sequences flatten; one statement stands for itself; none becomes T.evaluate(0).
Stmt make_seq(std::vector<Stmt> statements);
Stmt make_no_op();
bool is_no_op(const Stmt& s);
Stmt make_if(Expr condition, Stmt then_case, Stmt else_case = {});
Stmt make_for(Var var, Expr min, Expr extent, Stmt body, ForKind kind = ForKind::serial);
/// A buffer of its own memory.
Buffer make_buffer(std::string name, std::vector<Expr> shape, DataType type = float32,
                   std::string scope = "global");
template <std::integral T>
Buffer make_buffer(std::string name, const std::vector<T>& shape, DataType type = float32,
                   std::string scope = "global") {
  return make_buffer(std::move(name), std::vector<Expr>(shape.begin(), shape.end()), type, std::move(scope));
}

/// The whole buffer.
BufferRegion whole_region(const Buffer& buffer);

/// The predicate of a block as an expression: True where it is absent.
Expr predicate_of(const Block& block);

}  // namespace ardea

template <>
struct std::hash<ardea::Stmt> {
  std::size_t operator()(const ardea::Stmt& s) const { return std::hash<const void*>()(s.get()); }
};
template <>
struct std::hash<ardea::BlockId> {
  std::size_t operator()(const ardea::BlockId& id) const { return std::hash<std::uint64_t>()(id.value); }
};
