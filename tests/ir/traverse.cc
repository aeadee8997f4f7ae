#include "ardea/ir/traverse.h"

#include <gtest/gtest.h>

#include "ardea/ir/equal.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/substitute.h"
#include "tests/ir/programs.h"

namespace ardea {
namespace {

/// x doubled n times by adding the node to itself: 2^n paths, n + 1 nodes.
Expr doubled(const Expr& x, int n) {
  Expr e = x;
  for (int i = 0; i < n; ++i) e = e + e;
  return e;
}

TEST(Traverse, visits_a_shared_node_once) {
  const Var x("x");
  int count = 0;
  visit_exprs(doubled(x, 60), [&](const Expr&) { ++count; });
  EXPECT_EQ(count, 61);
}

TEST(Traverse, any_expr_finds_what_is_there_and_ends_on_what_is_shared) {
  const Var x("x"), y("y");
  const auto is_y = [&](const Expr& e) { return e == y; };
  EXPECT_FALSE(any_expr(doubled(x, 60), is_y));
  EXPECT_TRUE(any_expr(doubled(x, 60) * doubled(y, 60), is_y));
  EXPECT_FALSE(any_expr(x + 1, is_y));
  EXPECT_TRUE(any_expr(x + (y - 1), is_y));
  EXPECT_TRUE(any_expr(Stmt(Evaluate{x + y}), is_y));
  EXPECT_FALSE(any_expr(Expr(), is_y));
  int asked = 0;
  EXPECT_TRUE(any_expr(x + y, [&](const Expr&) { return ++asked == 1; }));
  EXPECT_EQ(asked, 1);
}

TEST(Traverse, rewrites_a_shared_node_once_and_keeps_it_shared) {
  const Var x("x"), y("y");
  int calls = 0;
  const Expr out = rewrite(doubled(x, 60), [&](const Expr& e) -> std::optional<Expr> {
    ++calls;
    return e == x ? std::optional<Expr>(y) : std::nullopt;
  });
  EXPECT_EQ(calls, 61);
  const auto* sum = out.as<Binary>();
  ASSERT_NE(sum, nullptr);
  EXPECT_EQ(sum->left, sum->right);
  EXPECT_TRUE(structurally_equal(out, doubled(y, 60)));
}

TEST(Traverse, an_unchanged_node_stays_the_same_node) {
  const Function f = gemm_program(3, 5, 7);
  EXPECT_EQ(rewrite(f.body, [](const Expr&) { return std::optional<Expr>(); }), f.body);
  const Expr e = Var("a") * 3 + Var("b");
  EXPECT_EQ(map_children(e, Mapper{.expr = [](const Expr& x) { return x; }}), e);
}

TEST(Traverse, what_does_not_change_is_kept_beside_what_does) {
  const Function f = gemm_program(3, 5, 7);
  std::optional<Block> block;
  visit_stmts(f.body, [&](const Stmt& s) {
    if (const auto* inner = s.as<Block>(); inner != nullptr && !inner->iterators.empty()) block = *inner;
  });
  ASSERT_TRUE(block);
  const Var i("i"), n("n");
  const BufferRegion corner{f.parameters[0].buffer, {{i, n}, {i, n}}};
  block->reads = {{corner}};
  block->writes = std::nullopt;
  block->annotations["key"] = {std::vector<Attribute>{{Expr(n)}, {make_int(1)}}};
  // The body changes, all else stays.
  const Stmt other = map_children(Stmt(*block), Mapper{.stmt = [](const Stmt&) { return make_no_op(); }});
  const auto* with_body = other.as<Block>();
  ASSERT_NE(with_body, nullptr);
  ASSERT_TRUE(with_body->reads);
  EXPECT_EQ(with_body->reads->at(0).region[1].extent, n);
  EXPECT_FALSE(with_body->writes);
  EXPECT_EQ(with_body->iterators.size(), block->iterators.size());
  EXPECT_FALSE(with_body->body == block->body);
  // One variable changes, wherever it is named, and nothing beside it.
  const Var m("m");
  const Stmt named =
      map_children(Stmt(*block), Mapper{.expr = [&](const Expr& e) { return e == n ? m : e; }});
  const auto* with_m = named.as<Block>();
  ASSERT_NE(with_m, nullptr);
  for (const Range& range : with_m->reads->at(0).region) {
    EXPECT_EQ(range.min, i);
    EXPECT_EQ(range.extent, m);
  }
  const auto& items = std::get<std::vector<Attribute>>(with_m->annotations.at("key").value);
  EXPECT_EQ(std::get<Expr>(items[0].value), m);
  EXPECT_EQ(constant_int(std::get<Expr>(items[1].value)), 1);
  EXPECT_EQ(with_m->body, block->body);
}

TEST(Traverse, visits_regions_bindings_and_bounds) {
  Function f = gemm_program(3, 5, 7);
  std::vector<std::int64_t> constants;
  visit_exprs(f.body, [&](const Expr& e) {
    if (const auto value = constant_int(e)) constants.push_back(*value);
  });
  for (const std::int64_t extent : {3, 5, 7})
    EXPECT_NE(std::find(constants.begin(), constants.end(), extent), constants.end());
}

TEST(Traverse, post_order_rewriting_sees_rebuilt_children) {
  const Var x("x");
  const Expr e = (x + 1) + 2;
  // Fold x + c1 + c2 bottom-up: the outer node sees what became of the inner one.
  const Expr out = rewrite(e, Rewriter{.expr_after = [&](const Expr& node) -> Expr {
                             const auto* sum = node.as<Binary>();
                             if (sum == nullptr || !sum->right.is<IntImm>()) return node;
                             const auto* inner = sum->left.as<Binary>();
                             if (inner == nullptr || !inner->right.is<IntImm>()) return node;
                             return inner->left + (*constant_int(inner->right) + *constant_int(sum->right));
                           }});
  EXPECT_TRUE(structurally_equal(out, x + 3));
}

TEST(Traverse, buffers_in_leaves_out_one_statement) {
  const Buffer a = make_buffer("A", std::vector<int>{4}), b = make_buffer("B", std::vector<int>{4});
  const Stmt first = make_store(a, {make_int(0)}, make_load(a, {make_int(1)}));
  const Stmt second = make_store(b, {make_int(0)}, make_load(a, {make_int(2)}));
  const Stmt both = make_seq({first, second});
  EXPECT_EQ(buffers_in(both, second), std::vector<Buffer>{a});
  EXPECT_EQ(buffers_in(both, first), (std::vector<Buffer>{b, a}));
  EXPECT_EQ(buffers_in(both, both), std::vector<Buffer>{});
}

TEST(Traverse, buffers_in_lists_each_buffer_once_in_order_of_mention) {
  const Function f = gemm_program(3, 5, 7);
  std::vector<std::string> names;
  for (const Buffer& b : buffers_in(f.body)) names.push_back(b->name);
  EXPECT_EQ(names, (std::vector<std::string>{"C", "A", "B"}));
}

TEST(Substitute, replaces_uses_and_keeps_definitions) {
  const Var n("n"), i("i");
  const Buffer a = make_buffer("A", std::vector<Expr>{n});
  const Stmt loop = make_for(i, make_int(0), n, make_store(a, {i}, make_float(1)));
  const Stmt out = substitute(loop, n, make_int(13));
  const auto* node = out.as<For>();
  ASSERT_NE(node, nullptr);
  EXPECT_EQ(constant_int(node->extent), 13);
  EXPECT_EQ(node->var, i);
}

TEST(Substitute, reaches_every_part_of_a_block) {
  const Var n("n"), i("i"), v("v");
  const Buffer a = make_buffer("A", std::vector<std::int64_t>{9}), b = make_buffer("B", std::vector<Expr>{n}),
               window = make_buffer("W", std::vector<std::int64_t>{1});
  Block block;
  block.name = "all";
  block.iterators = {{v, {n, n}, IteratorKind::spatial, i + n}};
  block.predicate = i < n;
  block.reads = {{a, {{n, make_int(1)}}}};
  block.writes = {{a, {{v, n}}}};
  block.annotations["rows"] = {std::vector<Attribute>{{make_int(0)}, {n}}};
  block.allocations = {b};
  block.matches = {{window, {a, {{n, make_int(1)}}}}};
  block.init = make_store(a, {n}, make_float(0));
  block.body = make_store(a, {n}, make_float(1));
  const Stmt out = substitute(Stmt(block), n, make_int(4));
  EXPECT_FALSE(uses(out, n));
  EXPECT_EQ(constant_int(out.as<Block>()->allocations[0]->shape[0]), 4);
  EXPECT_EQ(constant_int(out.as<Block>()->predicate.as<Binary>()->right), 4);
  const Attribute& rows = out.as<Block>()->annotations.at("rows");
  EXPECT_EQ(constant_int(std::get<Expr>(std::get<std::vector<Attribute>>(rows.value)[1].value)), 4);
}

TEST(Substitute, replaces_a_buffer_whose_shape_changes_by_one_new_buffer_everywhere) {
  const Var n("n"), i("i");
  const Buffer a = make_buffer("A", std::vector<Expr>{n}), b = make_buffer("B", std::vector<Expr>{n});
  const Stmt body = make_seq({make_store(a, {i}, make_load(b, {i})), make_store(b, {i}, make_load(a, {i}))});
  const std::vector<Buffer> after = buffers_in(substitute(body, n, make_int(4)));
  ASSERT_EQ(after.size(), 2u);
  for (const Buffer& buffer : after) EXPECT_EQ(constant_int(buffer->shape[0]), 4);
  EXPECT_EQ(after[0]->data, a->data);
}

TEST(Substitute, free_variables_are_those_used_and_not_defined) {
  const Var n("n"), i("i"), x("x", float32);
  const Buffer a = make_buffer("A", std::vector<Expr>{n});
  const Stmt loop = make_for(i, make_int(0), n, make_store(a, {i}, x));
  std::vector<std::string> names;
  for (const Var& v : free_variables(loop)) names.push_back(v.name());
  EXPECT_EQ(names, (std::vector<std::string>{"n", "A", "x"}));
  EXPECT_TRUE(uses(loop, n));
  EXPECT_FALSE(uses(loop, Var("n")));
}

TEST(Substitute, a_fresh_copy_shares_no_definition_with_its_original) {
  Function f = gemm_program(3, 5, 7);
  const Stmt copy = fresh_copy(f.body);
  EXPECT_TRUE(structurally_equal(copy, f.body));
  std::set<const void*> before, after;
  std::set<BlockId> ids;
  const auto definitions = [&](const Stmt& root, std::set<const void*>& into) {
    visit_stmts(root, [&](const Stmt& s) {
      if (const auto* loop = s.as<For>()) into.insert(loop->var.get());
      if (const auto* block = s.as<Block>()) {
        EXPECT_TRUE(ids.insert(block->id).second) << "block id of " << block->name << " is used twice";
        for (const BlockIterator& it : block->iterators) into.insert(it.var.get());
      }
    });
  };
  definitions(f.body, before);
  definitions(copy, after);
  for (const void* v : after) EXPECT_FALSE(before.contains(v));
}

TEST(Substitute, a_fresh_copy_renews_declared_and_allocated_buffers) {
  const Var data("D", handle_type), i("i");
  BufferNode node{.name = "D_1", .data = data, .shape = {make_int(4)}};
  const Buffer view{node};
  const Stmt program = Allocate{.data = data,
                                .type = float32,
                                .extents = {make_int(4)},
                                .body = DeclareBuffer{view, make_for(i, make_int(0), make_int(4),
                                                                     make_store(view, {i}, make_float(2)))}};
  const Stmt copy = fresh_copy(program);
  EXPECT_TRUE(structurally_equal(copy, program));
  EXPECT_FALSE(buffers_in(copy)[0] == view);
  EXPECT_FALSE(buffers_in(copy)[0]->data == data);
}

}  // namespace
}  // namespace ardea
