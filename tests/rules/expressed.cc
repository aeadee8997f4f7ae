#include "ardea/rules/expressed.h"

#include <gtest/gtest.h>

#include "ardea/ir/intrinsics.h"
#include "ardea/ir/print.h"
#include "ardea/space/builder.h"
#include "ardea/space/evaluate.h"
#include "ardea/support/error.h"
#include "ardea/support/random.h"

namespace ardea::rules {

namespace {

using Values = std::vector<std::int64_t>;

/// An expression, and what it means: nothing where a part has no value.
struct Meant {
  Expr expr;
  std::function<std::optional<std::int64_t>(const Values&)> value;
};

class Generator {
 public:
  Generator(std::vector<Var> variables, std::uint64_t seed)
      : variables_(std::move(variables)), random_(seed) {}

  Meant number(int depth) {
    const auto kind = depth == 0 ? random_.integer(0, 1) : random_.integer(0, 9);
    if (kind == 0) {
      const std::int64_t n = random_.integer(-3, 9);
      return {make_int(n), [n](const Values&) { return n; }};
    }
    if (kind == 1) {
      const auto i = static_cast<std::size_t>(random_.integer(0, std::ssize(variables_) - 1));
      return {variables_[i], [i](const Values& v) { return v[i]; }};
    }
    if (kind == 2) {
      const Meant c = condition(depth - 1), a = number(depth - 1), b = number(depth - 1);
      return {make_call("if_then_else", {c.expr, a.expr, b.expr}),
              [=](const Values& v) -> std::optional<std::int64_t> {
                const auto chosen = c.value(v), yes = a.value(v), no = b.value(v);  // strictly
                if (!chosen || !yes || !no) return std::nullopt;
                return *chosen != 0 ? *yes : *no;
              }};
    }
    const Meant a = number(depth - 1), b = number(depth - 1);
    const auto both = [&](BinaryOp op, auto f) {
      return Meant{make_binary(op, a.expr, b.expr), [=](const Values& v) -> std::optional<std::int64_t> {
                     const auto x = a.value(v), y = b.value(v);
                     return x && y ? f(*x, *y) : std::nullopt;
                   }};
    };
    using Number = std::optional<std::int64_t>;
    const auto floored = [](std::int64_t x, std::int64_t y) -> Number {
      if (y == 0) return std::nullopt;
      return x / y - (x % y != 0 && (x < 0) != (y < 0) ? 1 : 0);
    };
    switch (kind) {
      case 3: return both(BinaryOp::add, [](std::int64_t x, std::int64_t y) -> Number { return x + y; });
      case 4: return both(BinaryOp::sub, [](std::int64_t x, std::int64_t y) -> Number { return x - y; });
      case 5: return both(BinaryOp::mul, [](std::int64_t x, std::int64_t y) -> Number { return x * y; });
      case 6:
        return both(BinaryOp::min, [](std::int64_t x, std::int64_t y) -> Number { return std::min(x, y); });
      case 7:
        return both(BinaryOp::max, [](std::int64_t x, std::int64_t y) -> Number { return std::max(x, y); });
      case 8: return both(BinaryOp::floor_div, floored);
      default:
        return both(BinaryOp::floor_mod, [=](std::int64_t x, std::int64_t y) -> Number {
          const auto q = floored(x, y);
          return q ? Number(x - y * *q) : std::nullopt;
        });
    }
  }

  Meant condition(int depth) {
    const auto kind = depth == 0 ? random_.integer(0, 6) : random_.integer(0, 9);
    if (kind >= 7) {
      const Meant a = condition(depth - 1), b = condition(depth - 1);
      if (kind == 7)
        return {logical_not(a.expr), [=](const Values& v) -> std::optional<std::int64_t> {
                  const auto x = a.value(v);
                  return x ? std::optional<std::int64_t>(1 - *x) : std::nullopt;
                }};
      return {kind == 8 ? logical_and(a.expr, b.expr) : logical_or(a.expr, b.expr),
              [=](const Values& v) -> std::optional<std::int64_t> {
                const auto x = a.value(v), y = b.value(v);  // strictly
                if (!x || !y) return std::nullopt;
                return kind == 8 ? *x & *y : *x | *y;
              }};
    }
    Meant a = number(depth), b = number(depth);
    if (kind == 6) {  // a remainder that is compared with 0
      const Meant left = a, right = b;
      a = {floor_mod(left.expr, right.expr), [=](const Values& v) -> std::optional<std::int64_t> {
             const auto x = left.value(v), y = right.value(v);
             if (!x || !y || *y == 0) return std::nullopt;
             return ((*x % *y) + *y) % *y;
           }};
      b = {make_int(0), [](const Values&) { return 0; }};
    }
    const BinaryOp op = std::array{BinaryOp::lt, BinaryOp::le, BinaryOp::gt, BinaryOp::ge,
                                   BinaryOp::eq, BinaryOp::ne, BinaryOp::eq}[static_cast<std::size_t>(kind)];
    return {make_binary(op, a.expr, b.expr), [=](const Values& v) -> std::optional<std::int64_t> {
              const auto x = a.value(v), y = b.value(v);
              if (!x || !y) return std::nullopt;
              switch (op) {
                case BinaryOp::lt: return *x < *y;
                case BinaryOp::le: return *x <= *y;
                case BinaryOp::gt: return *x > *y;
                case BinaryOp::ge: return *x >= *y;
                case BinaryOp::eq: return *x == *y;
                default: return *x != *y;
              }
            }};
  }

 private:
  std::vector<Var> variables_;
  Random random_;
};

/// The solutions of a condition are the points where it holds and every part of it has a value. Not made
/// here: values near the ends of the language's range, and types other than int64.
TEST(Expressed, conditions_mean_the_same_in_the_language_of_spaces) {
  const std::vector<Var> variables = {Var("a"), Var("b"), Var("c")};
  int solutions = 0, others = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const Meant meant = Generator(variables, seed).condition(3);
    space::System system;
    std::unordered_map<Var, space::Var> knobs;
    for (const Var& var : variables) knobs.emplace(var, system.knob(var.name(), space::Domain::range(-2, 4)));
    space::Builder(system).require("condition", Expressed(knobs).formula(meant.expr));
    for (std::int64_t a = -2; a <= 4; ++a)
      for (std::int64_t b = -2; b <= 4; ++b)
        for (std::int64_t c = -2; c <= 4; ++c) {
          const auto value = meant.value({a, b, c});
          const auto point = space::complete_knobs(system, {a, b, c});
          const bool is_solution = point && space::is_solution(system, *point);
          // What is decided without a part need not give that part a value.
          if (!value) continue;
          ASSERT_EQ(is_solution, *value != 0)
              << "seed " << seed << ": " << print(meant.expr) << " at " << a << ", " << b << ", " << c;
          ++(is_solution ? solutions : others);
        }
  }
  EXPECT_GT(solutions, 10000);
  EXPECT_GT(others, 10000);
}

TEST(Expressed, says_what_the_language_cannot) {
  const Var known("t"), loop("i");
  space::System system;
  const Expressed expressed({{known, system.knob("t", space::Domain::range(1, 4))}});
  const auto sentence = [&](const Expr& e) -> std::string {
    try {
      expressed.formula(e);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(sentence(loop < known),
            "the constraint language cannot say i: it is no variable of the template");
  EXPECT_EQ(sentence(make_binary(BinaryOp::shift_left, known, make_int(2)) < make_int(9)),
            "the constraint language cannot say t << 2: there is no such operation");
  EXPECT_EQ(sentence(make_cast(int32, known) < make_int(9, int32)),
            "the constraint language cannot say T.Cast(\"int32\", t): the conversion may change the value");
  EXPECT_EQ(sentence(make_cast(float32, known) < make_float(9, float32)),
            "the constraint language cannot say T.Cast(\"float32\", t): its variables are integers");
}

}  // namespace

}  // namespace ardea::rules
