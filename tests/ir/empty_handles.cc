#include <gtest/gtest.h>

#include <functional>

#include "ardea/ir/equal.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/literals.h"
#include "ardea/ir/print.h"
#include "ardea/ir/stmt.h"
#include "ardea/support/error.h"

/// An empty handle is an Error with a sentence wherever a value is needed, in release builds too: `Expr s; s
/// = s + x;` is easily written.

namespace ardea {
namespace {

struct Use {
  const char* what;
  std::function<void()> run;
};

void expect_refused(const std::vector<Use>& uses, const std::string& says) {
  for (const Use& use : uses) {
    try {
      use.run();
      ADD_FAILURE() << use.what << " is accepted";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(says), std::string::npos) << use.what << ": " << error.what();
    }
  }
}

TEST(EmptyHandles, can_be_copied_compared_and_asked_for) {
  const Expr e;
  // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): the copy is what is tested
  const Expr same = e;
  EXPECT_FALSE(e.defined());
  EXPECT_TRUE(e == same);
  EXPECT_FALSE(e.is<Binary>());
  EXPECT_TRUE(make_int(0).defined());
  EXPECT_FALSE(Var().defined() || Buffer().defined() || Stmt().defined());
  EXPECT_TRUE(is_true(e));  // an absent predicate
}

TEST(EmptyHandles, are_no_operands) {
  const Expr e, x = Var("x", float32), i = Var("i"), yes = make_bool(true);
  const Var v("v");
  expect_refused({{"s = s + x",
                   [&] {
                     Expr s;
                     s = s + x;
                   }},
                  {"x + s", [&] { x + e; }},
                  {"s - 1", [&] { e - 1; }},
                  {"s * 2", [&] { e * 2; }},
                  {"s * 0.5", [&] { e * 0.5; }},
                  {"2 * s", [&] { 2 * e; }},
                  {"-s", [&] { -e; }},
                  {"s / x", [&] { e / x; }},
                  {"s < x", [&] { static_cast<void>(e < x); }},
                  {"x <= s", [&] { static_cast<void>(x <= e); }},
                  {"s > x", [&] { static_cast<void>(e > x); }},
                  {"s >= x", [&] { static_cast<void>(e >= x); }},
                  {"min", [&] { min(e, x); }},
                  {"max", [&] { max(x, e); }},
                  {"equals", [&] { equals(e, x); }},
                  {"not_equals", [&] { not_equals(x, e); }},
                  {"logical_and", [&] { logical_and(yes, e); }},
                  {"logical_or", [&] { logical_or(e, yes); }},
                  {"logical_not", [&] { logical_not(e); }},
                  {"floor_div", [&] { floor_div(e, 2); }},
                  {"floor_mod", [&] { floor_mod(i, e); }},
                  {"make_cast", [&] { make_cast(float32, e); }},
                  {"make_unary", [&] { make_unary(UnaryOp::negate, e); }},
                  {"make_binary, left", [&] { make_binary(BinaryOp::add, e, x); }},
                  {"make_binary, right", [&] { make_binary(BinaryOp::add, x, e); }},
                  {"make_select, condition", [&] { make_select(e, x, x); }},
                  {"make_select, true", [&] { make_select(yes, e, x); }},
                  {"make_select, false", [&] { make_select(yes, x, e); }},
                  {"make_let, variable", [&] { make_let(Var(), i, x); }},
                  {"make_let, value", [&] { make_let(v, e, x); }},
                  {"make_let, body", [&] { make_let(v, i, e); }},
                  {"make_ramp, base", [&] { make_ramp(e, i, 4); }},
                  {"make_ramp, stride", [&] { make_ramp(i, e, 4); }},
                  {"make_broadcast", [&] { make_broadcast(e, 4); }},
                  {"make_shuffle", [&] { make_shuffle({x, e}, {0}); }},
                  {"make_call", [&] { make_call("exp", {e}); }},
                  {"make_call, stated type", [&] { make_call("reinterpret", float32, {e}); }},
                  {"type", [&] { e.type(); }},
                  {"name", [&] { Var().name(); }}},
                 "empty expression");
}

TEST(EmptyHandles, are_no_places_and_no_values_to_store) {
  const Buffer a = make_buffer("A", std::vector<std::int64_t>{4}, float32);
  const Expr e, i = Var("i"), x = Var("x", float32);
  expect_refused({{"make_load, index", [&] { make_load(a, {e}); }},
                  {"make_store, index", [&] { make_store(a, {e}, x); }},
                  {"make_store, value", [&] { make_store(a, {i}, e); }},
                  {"make_if", [&] { make_if(e, make_no_op()); }},
                  {"make_for, variable", [&] { make_for(Var(), i, i, make_no_op()); }},
                  {"make_for, begin", [&] { make_for(Var("j"), e, i, make_no_op()); }},
                  {"make_for, extent", [&] { make_for(Var("j"), i, e, make_no_op()); }},
                  {"make_buffer", [&] { make_buffer("B", std::vector<Expr>{e}, float32); }}},
                 "empty expression");
  expect_refused({{"make_load", [&] { make_load(Buffer(), {i}); }},
                  {"make_store", [&] { make_store(Buffer(), {i}, x); }},
                  {"->", [&] { static_cast<void>(Buffer()->name); }}},
                 "empty buffer");
  expect_refused({{"make_for, body", [&] { make_for(Var("j"), i, i, Stmt()); }},
                  {"make_if, body", [&] { make_if(make_bool(true), Stmt()); }}},
                 "empty statement");
}

}  // namespace
}  // namespace ardea
