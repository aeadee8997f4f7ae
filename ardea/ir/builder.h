#pragma once

#include <concepts>
#include <functional>
#include <string>
#include <vector>

#include "ardea/ir/function.h"

namespace ardea {

/// Writes a program in C++:
///
///   FunctionBuilder f("gemm");
///   Buffer a = f.parameter("A", {m, k}), b = f.parameter("B", {k, n}), c = f.parameter("C", {m, n});
///   f.grid({"i", "j", "r"}, {m, n, k}, [&](const std::vector<Var>& loops) {
///     f.block("C", [&](BlockBuilder& block) {
///       Var i = block.spatial("vi", m, loops[0]), j = block.spatial("vj", n, loops[1]), r =
///       block.reduce("vr", k, loops[2]); block.init([&] { f.store(c, {i, j}, make_float(0)); }); f.store(c,
///       {i, j}, make_load(c, {i, j}) + make_load(a, {i, r}) * make_load(b, {r, j}));
///     });
///   });
///   Function gemm = f.build();
///
/// Regions are left absent unless given; arith::complete_regions infers them.
class BlockBuilder;

class FunctionBuilder {
 public:
  explicit FunctionBuilder(std::string name);

  Buffer parameter(const std::string& name, std::vector<Expr> shape, DataType type = float32);
  template <std::integral T>
  Buffer parameter(const std::string& name, const std::vector<T>& shape, DataType type = float32) {
    return parameter(name, std::vector<Expr>(shape.begin(), shape.end()), type);
  }
  Var scalar(const std::string& name, DataType type = int64);
  void attribute(const std::string& key, Expr value);

  /// Allocates in the block around (the root block where there is none).
  Buffer allocate(const std::string& name, std::vector<Expr> shape, DataType type = float32,
                  const std::string& scope = "global");

  void store(const Buffer& buffer, std::vector<Expr> indices, Expr value, Expr predicate = {});
  void evaluate(Expr value);
  void check(Expr condition, std::string message);
  void add(Stmt statement);

  using Loops = std::function<void(const std::vector<Var>&)>;
  void grid(const std::vector<std::string>& names, const std::vector<Expr>& extents, const Loops& body);
  void loop(const std::string& name, Expr min, Expr extent, const std::function<void(const Var&)>& body,
            ForKind kind = ForKind::serial, const std::string& thread = {});
  void when(Expr condition, const std::function<void()>& then_case,
            const std::function<void()>& else_case = {});
  void let(const std::string& name, Expr value, const std::function<void(const Var&)>& body);
  void block(const std::string& name, const std::function<void(BlockBuilder&)>& body);

  /// The function; in block form (with a root block) where anything was a block or an allocation.
  Function build();

 private:
  friend class BlockBuilder;
  Stmt collect(const std::function<void()>& body);

  Function function_;
  std::vector<std::vector<Stmt>> open_ = {{}};  ///< statements of each open body, innermost last
  std::vector<BlockBuilder*> blocks_;           ///< open blocks, innermost last
  std::vector<Buffer> root_allocations_;
  bool has_blocks_ = false;
};

/// The head of the block that is being written.
class BlockBuilder {
 public:
  Var spatial(const std::string& name, const Expr& extent, Expr binding);
  Var reduce(const std::string& name, const Expr& extent, Expr binding);
  Var iterator(const std::string& name, Range domain, IteratorKind kind, Expr binding);
  void where(Expr predicate);
  void reads(std::vector<BufferRegion> regions);
  void writes(std::vector<BufferRegion> regions);
  void init(const std::function<void()>& body);
  void annotate(const std::string& key, Expr value);
  Buffer match(const std::string& name, BufferRegion source, std::vector<Expr> shape);

 private:
  friend class FunctionBuilder;
  BlockBuilder(FunctionBuilder& owner, std::string name);
  FunctionBuilder& owner_;
  Block block_;
};

}  // namespace ardea
