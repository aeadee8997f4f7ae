#include <gtest/gtest.h>

#include <set>

#include "ardea/arith/analyzer.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/traverse.h"

namespace ardea::arith {
namespace {

TEST(SharedLet, that_two_contexts_simplify_differently_becomes_two_variables) {
  const Var i("i"), x("x");
  const Buffer a = make_buffer("A", std::vector<std::int64_t>{4}, int64);
  const Expr small = i < make_int(4);
  const Expr let = make_let(x, make_load(a, {make_int(0)}), make_select(small, x + 1, x * 3));
  const Expr out = Analyzer().simplify(make_call("if_then_else", {small, let, let}));
  std::set<const void*> variables;
  int lets = 0;
  visit_exprs(out, [&](const Expr& e) {
    if (const auto* node = e.as<Let>()) ++lets, variables.insert(node->var.get());
  });
  EXPECT_EQ(lets, 2);
  EXPECT_EQ(variables.size(), 2u);
}

}  // namespace
}  // namespace ardea::arith
