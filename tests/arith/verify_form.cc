#include <gtest/gtest.h>

#include "ardea/ir/builder.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/substitute.h"
#include "tests/arith/laws.h"

/// Laws of definitions, types, buffers and threads. The makers and the parser refuse most of these programs,
/// so that they are built from bare nodes here.

namespace ardea::arith {
namespace {

const Expr one = make_float(1);

/// A function of A and B, both (16,), and a scalar n, with that body.
struct Parts {
  Buffer a = make_buffer("A", Shape{16}), b = make_buffer("B", Shape{16});
  Var n = Var("n"), i = Var("i");

  Function with(Stmt body) const {
    return {"main", {{Var("a", handle_type), a}, {Var("b", handle_type), b}, {n}}, {}, std::move(body)};
  }
  Stmt copy(const Expr& index) const { return Store{b, {index}, make_load(a, {index})}; }
  For over(Stmt body) const { return {i, make_int(0), make_int(16), ForKind::serial, std::move(body)}; }
};

TEST(VerifyScopes, wants_a_variable_defined_around_its_use) {
  const Parts p;
  expect_broken(p.with(p.copy(p.i)), "undefined_variable", {"main: the store to B", "uses i", "loop"});
  expect_accepted(p.with(p.over(p.copy(p.i))));
}

TEST(VerifyScopes, ends_a_loop_variable_with_its_loop) {
  const Parts p;
  expect_broken(p.with(Seq{{p.over(p.copy(p.i)), p.copy(p.i)}}), "undefined_variable", {"uses i"});
}

TEST(VerifyScopes, wants_one_definition_a_variable) {
  const Parts p;
  expect_broken(p.with(Seq{{p.over(p.copy(p.i)), p.over(p.copy(p.i))}}), "redefined_variable",
                {"i is defined a second time", "fresh_copy"});
  const Stmt loop = p.over(p.copy(p.i));
  expect_broken(p.with(Seq{{loop, loop}}), "redefined_variable", {"i is defined"});
  expect_accepted(p.with(Seq{{loop, fresh_copy(loop)}}));
}

TEST(VerifyScopes, lets_a_shared_let_expression_stand) {
  const Parts p;
  const Var x("x", float32);
  const Expr let = make_let(x, make_load(p.a, {make_int(0)}), x + x);
  expect_accepted(p.with(Store{p.b, {make_int(0)}, let * let}));
  const Expr again = make_let(x, make_load(p.a, {make_int(1)}), x + x);
  expect_broken(p.with(Store{p.b, {make_int(0)}, let * again}), "redefined_variable", {"x is defined"});
}

TEST(VerifyScopes, wants_distinct_parameters) {
  const Parts p;
  Function f = p.with(p.over(p.copy(p.i)));
  f.parameters.push_back({p.n});
  expect_broken(f, "duplicate_parameter", {"n is a parameter twice"});
  f.parameters.back() = {Var("c", handle_type), p.a};
  expect_broken(f, "duplicate_parameter", {"buffer A is a parameter twice"});
}

TEST(VerifyScopes, wants_distinct_functions_in_a_module) {
  const Parts p, q;
  const Module m{"", {p.with(p.over(p.copy(p.i))), q.with(q.over(q.copy(q.i)))}};
  const std::vector<Violation> found = verify(m);
  ASSERT_EQ(found.size(), 1u) << all_of(found);
  EXPECT_EQ(found[0].law, "duplicate_function");
  EXPECT_NE(found[0].message.find("main"), std::string::npos);
}

TEST(VerifyScopes, wants_a_buffer_declared_around_its_use) {
  const Parts p;
  const Buffer stray = make_buffer("T", Shape{16});
  expect_broken(p.with(p.over(Store{stray, {p.i}, one})), "undeclared_buffer",
                {"the store to T", "buffer T", "parameter"});
  Block root{.name = "root", .allocations = {stray}, .body = p.over(Store{stray, {p.i}, one})};
  expect_accepted(p.with(root));
}

TEST(VerifyScopes, wants_the_memory_of_a_declared_buffer) {
  const Parts p;
  const Buffer view = make_buffer("T", Shape{16});
  const Stmt use = DeclareBuffer{view, p.over(Store{view, {p.i}, one})};
  expect_broken(p.with(use), "undefined_data", {"buffer T", "the memory T"});
  expect_accepted(p.with(Allocate{view->data, float32, {make_int(16)}, "global", use}));
}

TEST(VerifyScopes, reads_symbolic_extents_from_whole_dimensions) {
  const Var m("m");
  const auto with_shape = [&](const Expr& extent) {
    FunctionBuilder f("main");
    const Buffer a = f.parameter("A", std::vector<Expr>{extent});
    f.grid({"i"}, {m}, [&](const std::vector<Var>& i) { f.store(a, {i[0]}, one); });
    return f.build();
  };
  expect_broken(with_shape(m + 1), "unbindable_extent", {"the extent m", "scalar parameter"});
  expect_accepted(with_shape(m));
}

TEST(VerifyScopes, keeps_loops_outside_a_block_out_of_it) {
  const auto with_index = [](bool isolated) {
    FunctionBuilder f("main");
    const Buffer a = f.parameter("A", Shape{16});
    f.grid({"i"}, {make_int(16)}, [&](const std::vector<Var>& i) {
      f.block("fill", [&](BlockBuilder& block) {
        const Var v = block.spatial("v", make_int(16), i[0]);
        f.store(a, {isolated ? v : i[0]}, one);
      });
    });
    return f.build();
  };
  expect_broken(with_index(false), "loop_variable_in_block", {"block fill", "uses i", "bind an iterator"});
  expect_accepted(with_index(true));
}

TEST(VerifyScopes, hides_lets_that_loops_decide_from_blocks) {
  const auto with_let = [](bool from_loop) {
    FunctionBuilder f("main");
    const Buffer a = f.parameter("A", Shape{16});
    const Var n = f.scalar("n");
    f.grid({"i"}, {make_int(16)}, [&](const std::vector<Var>& i) {
      f.let("x", (from_loop ? i[0] : n) * 2, [&](const Var& x) {
        f.block("fill", [&](BlockBuilder& block) {
          const Var v = block.spatial("v", make_int(16), i[0]);
          f.store(a, {v}, make_cast(float32, x));
        });
      });
    });
    return f.build();
  };
  expect_broken(with_let(true), "loop_variable_in_block", {"uses x"});
  expect_accepted(with_let(false));
}

TEST(VerifyScopes, wants_distinct_blocks) {
  const Parts p;
  const Block block{.name = "twice", .body = Store{p.b, {make_int(0)}, one}};
  expect_broken(p.with(Seq{{block, block}}), "duplicate_block", {"block twice"});
}

TEST(VerifyScopes, wants_every_part) {
  const Parts p;
  expect_broken(p.with(Store{p.b, {make_int(0)}, {}}), "missing_part", {"the store to B"});
  expect_broken(p.with(p.over({})), "missing_part", {"loop i"});
  expect_broken(p.with(Store{p.b, {make_int(0)}, Expr(float32, Binary{BinaryOp::add, one, {}})}),
                "missing_part", {"the store to B"});
}

TEST(VerifyTypes, wants_the_types_that_makers_give) {
  const Parts p;
  const auto value = [&](const Expr& e) { return p.with(Store{p.b, {make_int(0)}, e}); };
  expect_broken(value(Expr(float32, Binary{BinaryOp::add, one, make_float(1, float64)})), "expression_type",
                {"float32 and float64"});
  expect_broken(value(Expr(float32, Binary{BinaryOp::lt, one, one})), "expression_type",
                {"typed float32", "make it bool"});
  expect_broken(value(Expr(float32, Cast{make_broadcast(one, 4)})), "expression_type", {"lanes"});
  expect_broken(value(Expr(float32, FloatImm{0.1})), "expression_type", {"not a value of float32"});
  expect_broken(value(Expr(float32, Call{find_intrinsic("exp"), {}})), "expression_type", {"T.exp"});
  expect_accepted(value(make_call("exp", {one})));
}

TEST(VerifyTypes, wants_integer_indices_and_matching_predicates) {
  const Parts p;
  expect_broken(p.with(Store{p.b, {one}, one}), "index_type", {"float32", "integer"});
  expect_broken(p.with(Store{p.b, {}, one}), "index_count", {"0 indices", "1 dimensions"});
  const Expr lanes = make_ramp(make_int(0), make_int(1), 4);
  const Expr ones = make_broadcast(one, 4), yes = make_bool(true);
  expect_broken(p.with(Store{p.b, {lanes}, ones, yes}), "predicate_type", {"bool", "boolx4"});
  expect_accepted(p.with(Store{p.b, {lanes}, ones, make_broadcast(yes, 4)}));
}

TEST(VerifyTypes, wants_stores_loops_conditions_and_lets_typed) {
  const Parts p;
  expect_broken(p.with(Store{p.b, {make_int(0)}, make_int(1)}), "store_type", {"int64", "float32", "cast"});
  expect_broken(p.with(For{Var("j", int32), make_int(0), make_int(4), ForKind::serial, make_no_op()}),
                "loop_type", {"loop j is int32", "int64"});
  expect_broken(p.with(If{make_int(1), make_no_op()}), "condition_type", {"int64", "scalar bool"});
  expect_broken(p.with(Assert{one, "no"}), "condition_type", {"float32"});
  expect_broken(p.with(LetStmt{Var("x", int32), make_int(1), make_no_op()}), "let_type", {"let x is int32"});
}

TEST(VerifyTypes, wants_block_iterators_to_be_scalar_integers) {
  const Parts p;
  const Var v("v", int32);
  Block block{.name = "b", .body = make_no_op()};
  block.iterators = {{v, {make_int(0), make_int(1)}, IteratorKind::spatial, make_int(0)}};
  expect_broken(p.with(block), "iterator_type", {"block b", "iterator v is int32", "int64"});
  block.iterators[0].binding = make_int(0, int32);
  expect_accepted(p.with(block));
}

TEST(VerifyTypes, computes_with_no_storage_only_type) {
  FunctionBuilder f("main");
  const Buffer a = f.parameter("A", Shape{16}, float8_e4m3), b = f.parameter("B", Shape{16}, float8_e4m3);
  const Expr x = make_load(a, {make_int(0)});
  f.store(b, {make_int(0)}, x);
  f.store(b, {make_int(1)}, make_cast(float8_e4m3, make_cast(float32, x) + one));
  expect_accepted(f.build());
  f.store(b, {make_int(2)}, Expr(float8_e4m3, Select{make_bool(true), x, x}));
  expect_broken(f.build(), "storage_only_type", {"float8_e4m3", "cast A[0]"});
}

TEST(VerifyTypes, wants_calls_to_name_what_they_call) {
  const Parts p;
  const auto call = [&](const Expr& name) {
    return p.with(Evaluate{Expr(int32, Call{find_intrinsic("call_registered"), {name}})});
  };
  expect_broken(call(make_int(3)), "call_without_name", {"T.call_registered", "string"});
  expect_accepted(call(make_string("f")));
}

TEST(VerifyTypes, wants_regions_and_matches_to_fit) {
  const Parts p;
  Block block{.name = "b", .body = make_no_op()};
  block.reads = {{p.a, {}}};
  expect_broken(p.with(block), "region_type", {"block b", "buffer A"});
  block.reads.reset();
  block.matches = {{make_buffer("M", Shape{8}), {p.a, {{make_int(0), make_int(4)}}}}};
  expect_broken(p.with(block), "match_shape", {"block b", "M", "A[0:4]"});
  block.matches = {{make_buffer("M", Shape{4}), {p.a, {{make_int(0), make_int(4)}}}}};
  expect_accepted(p.with(block));
}

TEST(VerifyBuffers, wants_positive_extents_that_fit_memory) {
  const auto allocating = [](const std::vector<std::int64_t>& shape, const std::string& scope = "global") {
    Block root{
        .name = "root", .allocations = {make_buffer("T", shape, float32, scope)}, .body = make_no_op()};
    return Function{"main", {}, {}, root};
  };
  expect_broken(allocating({4, 0}), "extent_not_positive", {"buffer T", "(4, 0)", "at least 1"});
  expect_broken(allocating({-3}), "extent_not_positive", {"is -3"});
  expect_broken(allocating({1ll << 31, 1ll << 31, 4}), "size_overflow", {"buffer T", "float32"});
  expect_broken(allocating({4}, "cupboard"), "unknown_scope", {"\"cupboard\"", "shared", "wmma.*"});
  expect_accepted(allocating({}));
  expect_accepted(allocating({1}, "shared"));
  expect_accepted(allocating({7, 1, 13}, "wmma.accumulator"));
}

TEST(VerifyBuffers, wants_registers_as_slots_once_a_function_is_packed) {
  const auto with = [&](std::int64_t elements, const Expr& index, bool packed) {
    const Buffer r = make_buffer("R", Shape{elements}, float32, "register");
    const Var i("i");
    const Stmt body =
        make_for(i, make_int(0), make_int(1), make_store(r, {index.defined() ? index : Expr(i)}, one));
    Function f{"main", {}, {}, Allocate{r->data, r->type, r->shape, r->scope, DeclareBuffer{r, body}}};
    if (packed) f.attributes["calling_convention"] = Attribute{make_string("packed")};
    return f;
  };
  expect_accepted(with(4, make_int(2), false));
  expect_accepted(with(4, {}, false));
  expect_accepted(with(1, make_int(0), true));
  expect_broken(with(4, make_int(2), true), "register_slot", {"allocation R has (4) elements", "one vector"});
  expect_broken(with(1, {}, true), "register_slot", {"buffer R", "accessed at (i)", "constant"});
}

TEST(VerifyBuffers, wants_a_stride_for_each_dimension) {
  BufferNode node{.name = "T", .data = Var("T", handle_type), .shape = {make_int(4), make_int(4)}};
  const auto with_strides = [&](std::vector<Expr> strides) {
    node.strides = std::move(strides);
    return Function{"main", {{Var("t", handle_type), Buffer(node)}}, {}, make_no_op()};
  };
  expect_broken(with_strides({make_int(1)}), "stride_count", {"1 strides for 2 dimensions"});
  expect_broken(with_strides({make_int(1ll << 61), make_int(1)}), "size_overflow", {"strides"});
  expect_accepted(with_strides({make_int(8), make_int(1)}));
}

TEST(VerifyBuffers, wants_alignments_and_elements_that_exist) {
  BufferNode node{.name = "T", .data = Var("T", handle_type), .shape = {make_int(4)}};
  const auto f = [&] { return Function{"main", {{Var("t", handle_type), Buffer(node)}}, {}, make_no_op()}; };
  expect_accepted(f());
  node.alignment_bytes = 48;
  expect_broken(f(), "alignment", {"48", "power of two"});
  node.alignment_bytes = 16;
  node.type = handle_type;
  expect_broken(f(), "element_type", {"handle"});
}

TEST(VerifyBuffers, refuses_loops_of_negative_extent) {
  const Parts p;
  For loop = p.over(make_no_op());
  loop.extent = make_int(-1);
  expect_broken(p.with(loop), "negative_extent", {"loop i runs -1 times"});
  loop.extent = make_int(0);
  expect_accepted(p.with(loop));
}

TEST(VerifyBuffers, knows_the_thread_axes) {
  const Parts p;
  const auto bound = [&](ForKind kind, const std::string& tag) {
    For loop = p.over(make_no_op());
    loop.kind = kind;
    loop.thread = tag;
    return p.with(loop);
  };
  expect_broken(bound(ForKind::thread_binding, "threadIdx.w"), "thread_tag", {"loop i", "threadIdx.x"});
  expect_broken(bound(ForKind::thread_binding, ""), "thread_tag", {"loop i"});
  expect_broken(bound(ForKind::serial, "threadIdx.x"), "thread_tag", {"any other loop none"});
  expect_accepted(bound(ForKind::thread_binding, "blockIdx.z"));
  expect_accepted(bound(ForKind::virtual_thread, "vthread.x"));
}

TEST(VerifyBuffers, wants_one_extent_for_a_thread_axis_in_a_nest) {
  const Parts p;
  const auto nest = [&](std::int64_t inner) {
    For inside{Var("j"), make_int(0), make_int(inner), ForKind::thread_binding, make_no_op()};
    inside.thread = "threadIdx.x";
    For outside = p.over(inside);
    outside.kind = ForKind::thread_binding;
    outside.thread = "threadIdx.x";
    return p.with(outside);
  };
  expect_broken(nest(8), "thread_extent", {"loop j", "threadIdx.x", "8", "16"});
  expect_accepted(nest(16));
}

}  // namespace
}  // namespace ardea::arith
