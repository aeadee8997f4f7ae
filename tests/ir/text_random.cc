#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ardea/ir/intrinsics.h"
#include "ardea/support/random.h"
#include "text_programs.h"

/// Random well-typed programs: parse(print(p)) is p, whatever casts, constants and nesting they hold.

namespace ardea {
namespace {

const std::vector<DataType> scalars = {int64, int64,  int64,   int32,   int32,   int8,
                                       uint8, uint64, float32, float16, float64, boolean};

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {
    for (const DataType type : {int64, int32, int8, uint8, uint64, float32, float16, float64, boolean}) {
      const std::string name = to_string(type);
      f_.parameters.push_back({Var("s_" + name, type)});
      visible_.push_back(f_.parameters.back().var);
      buffers_.push_back(make_buffer("b_" + name, std::vector<std::int64_t>{16, 3}, type));
      f_.parameters.push_back({Var("h_" + name, handle_type), buffers_.back()});
    }
  }

  Function run() {
    exact_ = random_.chance(0.2);
    f_.body = statements(3);
    return f_;
  }

 private:
  std::int64_t draw(std::int64_t low, std::int64_t high) { return random_.integer(low, high); }

  Expr leaf(DataType type) {
    const DataType scalar = type.element();
    Expr value;
    std::vector<Var> fitting;
    for (const Var& v : visible_)
      if (v.type() == scalar) fitting.push_back(v);
    if (!fitting.empty() && random_.chance(0.6)) {
      value = random_.pick(fitting);
    } else if (scalar.is_float()) {
      const double special[] = {0.0,      -0.0,      0.1,          1e-7,          3.0,
                                INFINITY, -INFINITY, std::nan(""), -std::nan(""), 1.0 / 3};
      value = make_float(special[draw(0, 9)], scalar);
    } else if (scalar.is_bool()) {
      value = make_bool(random_.chance(0.5));
    } else {
      const bool extreme = random_.chance(0.1) && scalar.bits == 64;
      value = make_int(
          extreme ? (random_.chance(0.5) ? std::numeric_limits<std::int64_t>::min() : -1) : draw(0, 9),
          scalar);
    }
    return type.is_vector() ? make_broadcast(value, type.lanes) : value;
  }

  Expr index(int depth, int lanes) {
    const DataType type = exact_ && random_.chance(0.7) ? int32 : int64;
    if (lanes == 1) {
      if (!exact_ && random_.chance(0.3))
        return make_cast(int64, expr(random_.pick(std::vector<DataType>{int32, int8, uint8}), depth));
      return expr(type, depth);
    }
    if (random_.chance(0.3)) return expr(type.with_lanes(lanes), depth);
    return make_ramp(expr(type, depth), make_int(draw(-1, 3), type), lanes);
  }

  Expr expr(DataType type, int depth) {
    if (depth <= 0 || random_.chance(0.15)) return leaf(type);
    const int d = depth - 1;
    switch (draw(0, 9)) {
      case 0: return cast(type, d);
      case 1: return random_.chance(0.5) ? select(type, d) : let(type, d);
      case 2: return load(type, d);
      case 3: return type.is_vector() ? vector(type, d) : call(type, d);
      case 4: return unary(type, d);
      default: return type.is_bool() ? logic(type, d) : arithmetic(type, d);
    }
  }

  Expr cast(DataType type, int d) {
    const DataType from = random_.pick(scalars).with_lanes(type.lanes);
    return make_cast(type, expr(from, d));
  }
  Expr select(DataType type, int d) { return make_select(expr(boolean, d), expr(type, d), expr(type, d)); }
  Expr let(DataType type, int d) {
    const Expr value = expr(random_.pick(scalars), d);
    const Var var("y", value.type());
    visible_.push_back(var);
    const Expr body = expr(type, d);
    visible_.pop_back();
    return make_let(var, value, body);
  }
  Expr load(DataType type, int d) {
    for (const Buffer& b : buffers_)
      if (b->type == type.element()) {
        const Expr predicate = random_.chance(0.3) ? expr(boolean.with_lanes(type.lanes), d) : Expr();
        return make_load(b, {index(d, 1), index(d, type.lanes)}, predicate);
      }
    return leaf(type);
  }
  Expr call(DataType type, int d) {
    if (type.is_float()) return make_call("pow", {expr(type, d), expr(type, d)});
    if (type.is_integer()) return make_call("if_then_else", {expr(boolean, d), expr(type, d), expr(type, d)});
    return make_call("isnan", {expr(float32, d)});
  }
  Expr vector(DataType type, int d) {
    if (type.is_integer() && random_.chance(0.5))
      return make_ramp(expr(type.element(), d), expr(type.element(), d), type.lanes);
    return make_shuffle({expr(type, d), expr(type.element(), d)}, {4, 0, 2, 3});
  }
  Expr unary(DataType type, int d) {
    if (type.is_bool()) return make_unary(UnaryOp::logical_not, expr(type, d));
    return make_unary(type.is_integer() && random_.chance(0.5) ? UnaryOp::bit_not : UnaryOp::negate,
                      expr(type, d));
  }
  Expr logic(DataType type, int d) {
    const DataType side = random_.pick(scalars).with_lanes(type.lanes);
    static const std::vector<BinaryOp> connectives = {BinaryOp::logical_and, BinaryOp::logical_or,
                                                      BinaryOp::bit_xor};
    static const std::vector<BinaryOp> comparisons = {BinaryOp::eq, BinaryOp::ne, BinaryOp::lt,
                                                      BinaryOp::le, BinaryOp::gt, BinaryOp::ge};
    if (random_.chance(0.5)) return make_binary(random_.pick(connectives), expr(type, d), expr(type, d));
    return make_binary(random_.pick(comparisons), expr(side, d), expr(side, d));
  }
  Expr arithmetic(DataType type, int d) {
    static const std::vector<BinaryOp> floats = {BinaryOp::add, BinaryOp::sub, BinaryOp::mul, BinaryOp::div,
                                                 BinaryOp::min};
    static const std::vector<BinaryOp> integers = {
        BinaryOp::add,        BinaryOp::sub,        BinaryOp::mul,       BinaryOp::floor_div,
        BinaryOp::floor_mod,  BinaryOp::trunc_div,  BinaryOp::trunc_mod, BinaryOp::min,
        BinaryOp::max,        BinaryOp::bit_and,    BinaryOp::bit_or,    BinaryOp::bit_xor,
        BinaryOp::shift_left, BinaryOp::shift_right};
    const BinaryOp op = random_.pick(type.is_float() ? floats : integers);
    return make_binary(op, expr(type, d), expr(type, d));
  }

  Range range(DataType type, int d) {
    const Expr min = random_.chance(0.4) ? make_int(draw(-3, 3), type) : expr(type, d);
    switch (draw(0, 3)) {
      case 0: return {min, make_int(draw(1, 5), type)};
      case 1: return {min, make_binary(BinaryOp::sub, expr(type, d), min)};
      case 2: return {min, make_binary(BinaryOp::add, min, expr(type, d))};
      default: return {min, expr(type, d)};
    }
  }

  Stmt statements(int depth) {
    std::vector<Stmt> all;
    for (std::int64_t n = draw(1, 3); n > 0; --n) all.push_back(statement(depth));
    return make_seq(std::move(all));
  }

  Stmt statement(int depth) {
    const int d = 3;
    if (depth <= 0 || random_.chance(0.3)) {
      const Buffer& b = random_.pick(buffers_);
      const int lanes = random_.chance(0.3) ? 4 : 1;
      if (random_.chance(0.2)) return Evaluate{expr(random_.pick(scalars), d)};
      const Expr predicate = lanes > 1 && random_.chance(0.5) ? expr(boolean.with_lanes(4), d) : Expr();
      return make_store(b, {index(d, 1), index(d, lanes)}, expr(b->type.with_lanes(lanes), d), predicate);
    }
    switch (draw(0, 4)) {
      case 0: return loop(depth);
      case 1:
        return make_if(expr(boolean, d), statements(depth - 1),
                       random_.chance(0.5) ? statements(depth - 1) : Stmt());
      case 2: return let_statement(depth);
      case 3: return block(depth);
      default: return view(depth);
    }
  }

  Stmt loop(int depth) {
    const DataType type = random_.chance(0.3) ? int32 : int64;
    const Range r = random_.chance(0.6) ? Range{make_int(0, type), expr(type, 1)} : range(type, 2);
    const Var var("i", type);
    visible_.push_back(var);
    Stmt body = statements(depth - 1);
    visible_.pop_back();
    const auto kind = static_cast<ForKind>(draw(0, 5));
    For node{.var = var, .min = r.min, .extent = r.extent, .kind = kind, .body = std::move(body)};
    if (kind == ForKind::thread_binding) node.thread = "threadIdx.y";
    if (kind == ForKind::virtual_thread) node.thread = "vthread";
    if (random_.chance(0.2)) node.annotations["k"] = {make_int(3, int8)};
    return node;
  }
  Stmt let_statement(int depth) {
    const Expr value = expr(random_.pick(scalars), 3);
    const Var var("i", value.type());
    visible_.push_back(var);
    Stmt body = statements(depth - 1);
    visible_.pop_back();
    return LetStmt{var, value, std::move(body)};
  }
  Stmt view(int depth) {
    const Buffer& b = random_.pick(buffers_);
    const Buffer alias(BufferNode{.name = b->name,
                                  .data = b->data,
                                  .type = b->type,
                                  .shape = {make_int(16), f_.parameters[0].var + draw(1, 5)}});
    buffers_.push_back(alias);
    Stmt body = statements(depth - 1);
    buffers_.pop_back();
    return DeclareBuffer{alias, std::move(body)};
  }
  Stmt block(int depth) {
    const DataType type = random_.chance(0.3) ? int32 : int64;
    Block node;
    node.name = "b";
    const Range domain = range(type, 1);
    node.iterators.push_back({Var("v", type), domain, static_cast<IteratorKind>(draw(0, 3)), expr(type, 2)});
    visible_.push_back(node.iterators[0].var);
    const DataType narrow = exact_ ? int32 : int64;
    if (random_.chance(0.5))
      node.reads.emplace().push_back({buffers_[0], {range(narrow, 1), range(int64, 2)}});
    node.body = statements(depth - 1);
    visible_.pop_back();
    return node;
  }

  Random random_;
  bool exact_ = false;
  Function f_;
  std::vector<Var> visible_;
  std::vector<Buffer> buffers_;
};

TEST(TextRandom, programs_print_and_parse_back) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Function f = Generator(seed).run();
    Block root;
    root.name = "root";
    root.reads.emplace();
    root.writes.emplace();
    root.body = f.body;
    f.body =
        std::move(root);  // as block programs have it; the printer writes it out where no block is inside
    const std::string text = print(f);
    Function again;
    ASSERT_NO_THROW(again = parse_function(text)) << "seed " << seed << "\n" << text;
    ASSERT_EQ(first_difference(f, again), "") << "seed " << seed << "\n"
                                              << text << "\nagain\n"
                                              << print(again);
    ASSERT_EQ(print(again), text) << "seed " << seed;
  }
}

}  // namespace
}  // namespace ardea
