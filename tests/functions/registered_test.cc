#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <thread>

#include "ardea/arith/load.h"
#include "ardea/compile/compile.h"
#include "ardea/interp/interpreter.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/print.h"
#include "ardea/lower/rules.h"
#include "ardea/measure/check.h"
#include "ardea/runtime/registry.h"
#include "ardea/support/error.h"

/// Intrinsics and rules that users register. What is registered stays, so that each test takes names of its
/// own.

namespace ardea::functions_test {
namespace {

std::string error_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

Intrinsic row(const std::string& name, int arity = 1, ResultRule result = ResultRule::same_as_first) {
  return {name, arity, Effect::pure, result, true, "for a test"};
}

Expr constant(double value, const Expr& like) { return make_const(value, like.type()); }

/// x · sigmoid(x).
Expr swish(const std::vector<Expr>& x) { return x[0] * make_call("sigmoid", {x[0]}); }

Function program(const std::string& call, const std::string& type, int lanes = 1) {
  const std::string at = lanes == 1 ? "i" : "i * 5:i * 5 + 5";
  std::string value = call;
  for (std::size_t i = value.find('@'); i != std::string::npos; i = value.find('@'))
    value.replace(i, 1, "X[" + at + "]");
  const std::string buffer = "T.Buffer((15,), \"" + type + "\")";
  return arith::load_program("@T.prim_func\ndef f(X: " + buffer + ", Y: " + buffer +
                                 "):\n    for i in range(" + std::to_string(15 / lanes) + "):\n        Y[" +
                                 at + "] = " + value + "\n",
                             "test")
      .functions.at(0);
}

runtime::Array numbers(DataType type) {
  const auto array = runtime::Array::zeros({15}, type);
  for (std::int64_t i = 0; i < 15; ++i) array.set_float(i, 0.37 * static_cast<double>(i) - 2.1);
  return array;
}

runtime::Array compiled(const Function& f, DataType type, const target::Target& target = target::host()) {
  const auto x = numbers(type), y = runtime::Array::zeros({15}, type);
  compile::callable(f, target)(x, y);
  return y;
}

TEST(RegisteredIntrinsic, is_parsed_printed_interpreted_bounded_and_compiled_at_once) {
  register_intrinsic(row("test_swish"), swish);
  for (const DataType type : {float16, bfloat16, float32, float64})
    for (const int lanes : {1, 5}) {
      const Function f = program("T.test_swish(@) + T.test_swish(T.test_swish(@))", to_string(type), lanes);
      EXPECT_NE(print(f).find("T.test_swish(T.test_swish("), std::string::npos);
      const auto x = numbers(type), y = runtime::Array::zeros({15}, type);
      interp::run(f, {x, y});
      for (std::int64_t i = 0; i < 15; ++i) {
        const double v = x.get_float(i), once = v / (1 + std::exp(-v)), twice = once / (1 + std::exp(-once));
        EXPECT_NEAR(y.get_float(i), once + twice, type.bits == 16 ? 0.05 : 1e-6)
            << to_string(type) << " of " << v;
      }
      const measure::CheckReport report =
          measure::check(f, {x, runtime::Array::zeros({15}, type)}, {x, compiled(f, type)});
      EXPECT_TRUE(report.agrees()) << to_string(type) << ", " << lanes << " lanes";
    }
}

TEST(RegisteredIntrinsic, on_narrow_floats_is_its_meaning_in_float32_rounded_once) {
  // 2049 - 2048 is lost if 2049 must be a float16 in between.
  register_intrinsic(row("test_detour"), [](const std::vector<Expr>& x) {
    return x[0] + constant(2049, x[0]) - constant(2048, x[0]);
  });
  const Function f = program("T.test_detour(@)", "float16");
  const auto x = numbers(float16), y = runtime::Array::zeros({15}, float16);
  interp::run(f, {x, y});
  const auto z = compiled(f, float16);
  for (std::int64_t i = 0; i < 15; ++i) {
    EXPECT_NEAR(y.get_float(i), x.get_float(i) + 1, 0.01);
    EXPECT_EQ(y.get_bits(i), z.get_bits(i)) << i;
  }
}

TEST(RegisteredIntrinsic, may_take_several_arguments_and_answer_a_bool) {
  register_intrinsic(row("test_closer", 3, ResultRule::boolean), [](const std::vector<Expr>& x) {
    return make_call("abs", {x[0] - x[1]}) < make_call("abs", {x[0] - x[2]});
  });
  const Function f =
      program("T.Select(T.test_closer(@, T.float32(-1), T.float32(2)), T.float32(7), @)", "float32");
  const auto x = numbers(float32), y = runtime::Array::zeros({15}, float32);
  interp::run(f, {x, y});
  const auto z = compiled(f, float32);
  for (std::int64_t i = 0; i < 15; ++i) {
    EXPECT_EQ(y.get_float(i), x.get_float(i) < 0.5 ? 7 : x.get_float(i));
    EXPECT_EQ(y.get_bits(i), z.get_bits(i));
  }
}

TEST(RegisteredIntrinsic, is_refused_by_a_sentence) {
  const auto refusal = [](Intrinsic intrinsic, Meaning meaning = swish) {
    return error_of([&] { register_intrinsic(std::move(intrinsic), std::move(meaning)); });
  };
  EXPECT_EQ(refusal(row("exp")), "register_intrinsic(exp): the name is taken; choose another");
  EXPECT_EQ(refusal(row("test_taken")), "");
  EXPECT_EQ(refusal(row("test_taken")), "register_intrinsic(test_taken): the name is taken; choose another");
  for (const char* word : {"Select", "grid", "float32"})
    EXPECT_EQ(refusal(row(word)), std::string("register_intrinsic(") + word + "): T." + word +
                                      " means something else in programs; choose another name");
  EXPECT_EQ(refusal(row("2x")),
            "register_intrinsic(\"2x\"): the name must be letters, digits and '_', no digit first");
  EXPECT_EQ(refusal(row("test_none", 0)),
            "register_intrinsic(test_none): it takes 0 arguments, must take 1 or more");
  EXPECT_EQ(refusal(row("test_handle", 1, ResultRule::handle)),
            "register_intrinsic(test_handle): the result must have the first argument's type, or be a bool");
  Intrinsic writing = row("test_writing");
  writing.effect = Effect::writes;
  EXPECT_EQ(refusal(writing),
            "register_intrinsic(test_writing): the effect must be pure; what has one is a T.call_registered");
  EXPECT_EQ(refusal(row("test_empty"), nullptr), "register_intrinsic(test_empty): it has no meaning");
  EXPECT_EQ(
      refusal(row("test_other_type"), [](const std::vector<Expr>& x) { return make_cast(int32, x[0]); }),
      "register_intrinsic(test_other_type): its meaning gives int32 for float32 arguments, must give "
      "float32");
}

TEST(RegisteredIntrinsic, whose_meaning_uses_itself_is_refused_when_it_is_used) {
  register_intrinsic(row("test_base"), swish);
  std::atomic<bool> turned = false;
  register_intrinsic(row("test_circle"), [&](const std::vector<Expr>& x) {
    return make_call(turned ? "test_circle" : "test_base", {x[0]});
  });
  turned = true;
  const Function f = program("T.test_circle(@)", "float32");
  EXPECT_EQ(
      error_of([&] { compiled(f, float32); }),
      "T.test_circle: its meaning uses T.test_circle itself (test_circle uses test_circle); say it by other "
      "intrinsics");
}

TEST(RegisteredIntrinsic, can_be_registered_and_found_by_many_threads) {
  std::atomic<int> taken = 0, found = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&, i] {
      if (!error_of([&] { register_intrinsic(row("test_contested"), swish); }).empty()) ++taken;
      register_intrinsic(row("test_thread_" + std::to_string(i)), swish);
      lower::register_rule("cpu", "test_thread_" + std::to_string(i),
                           [](const std::vector<Expr>& x, const target::Target&) { return x[0]; });
      if (find_intrinsic("test_thread_" + std::to_string(i)) != nullptr) ++found;
    });
  threads.clear();
  EXPECT_EQ(taken, 7);
  EXPECT_EQ(found, 8);
}

TEST(Rule, replaces_an_intrinsic_on_its_target_only) {
  target::Target mine = target::host();
  mine.name = "test_mine";
  lower::register_rule("test_mine", "exp", [](const std::vector<Expr>& x, const target::Target& target) {
    return constant(target.name == "test_mine" ? 3 : 4, x[0]) * x[0];
  });
  const auto x = numbers(float32);
  for (const int lanes : {1, 5}) {
    const Function f = program("T.exp(@)", "float32", lanes);
    const auto theirs = compiled(f, float32), ours = compiled(f, float32, mine);
    for (std::int64_t i = 0; i < 15; ++i) {
      EXPECT_EQ(ours.get_float(i), static_cast<double>(3 * static_cast<float>(x.get_float(i))));
      EXPECT_NEAR(theirs.get_float(i), std::exp(x.get_float(i)), 1e-4);
    }
  }
  // The reference knows no rules.
  const auto y = runtime::Array::zeros({15}, float32);
  compile::callable(program("T.exp(@)", "float32"), mine, {.library_functions = true})(x, y);
  EXPECT_NEAR(y.get_float(3), std::exp(x.get_float(3)), 1e-6);
}

TEST(Rule, may_use_the_intrinsic_that_it_replaces_and_others_that_have_rules) {
  target::Target mine = target::host();
  mine.name = "test_nested";
  lower::register_rule("test_nested", "exp", [](const std::vector<Expr>& x, const target::Target&) {
    return make_call("exp", {x[0]}) + make_call("log1p", {make_call("abs", {x[0]})});
  });
  lower::register_rule("test_nested", "log1p",
                       [](const std::vector<Expr>& x, const target::Target&) { return x[0]; });
  const auto y = compiled(program("T.exp(@)", "float64"), float64, mine), x = numbers(float64);
  for (std::int64_t i = 0; i < 15; ++i)
    EXPECT_NEAR(y.get_float(i), std::exp(x.get_float(i)) + std::fabs(x.get_float(i)), 1e-12);
}

TEST(Rule, may_call_a_registered_function_and_replace_a_registered_intrinsic) {
  runtime::register_function("test_twice", [](double x) { return 2 * x; });
  register_intrinsic(row("test_ruled"), swish);
  target::Target mine = target::host();
  mine.name = "test_calling";
  lower::register_rule("test_calling", "test_ruled", [](const std::vector<Expr>& x, const target::Target&) {
    return make_call("call_registered", float64, {make_string("test_twice"), x[0]});
  });
  const Function f = program("T.test_ruled(@ + T.float64(1))", "float64");
  const auto y = compiled(f, float64, mine), x = numbers(float64);
  for (std::int64_t i = 0; i < 15; ++i) EXPECT_EQ(y.get_float(i), 2 * (x.get_float(i) + 1));
}

TEST(Rule, of_a_kind_gives_way_to_that_of_a_target) {
  target::Target mine = target::host();
  mine.name = "test_named";
  register_intrinsic(row("test_ranked"), swish);
  const auto answering = [](double value) {
    return [value](const std::vector<Expr>& x, const target::Target&) { return constant(value, x[0]); };
  };
  lower::register_rule("cpu", "test_ranked", answering(1));
  lower::register_rule("test_named", "test_ranked", answering(2));
  const Function f = program("T.test_ranked(@)", "float32");
  EXPECT_EQ(compiled(f, float32).get_float(0), 1);
  EXPECT_EQ(compiled(f, float32, mine).get_float(0), 2);
  lower::register_rule("cpu", "test_ranked", answering(5), true);
  EXPECT_EQ(compiled(f, float32).get_float(0), 5);
}

TEST(Rule, is_refused_by_a_sentence) {
  const lower::Rule same = [](const std::vector<Expr>& x, const target::Target&) { return x[0]; };
  const auto refusal = [&](const char* target, const char* intrinsic, const lower::Rule& rule) {
    return error_of([&] { lower::register_rule(target, intrinsic, rule); });
  };
  EXPECT_EQ(refusal("cpu", "sqr", same),
            "register_rule(cpu, sqr): there is no such intrinsic; did you mean sqrt, rsqrt or sin?");
  EXPECT_EQ(refusal("cpu", "barrier", same),
            "register_rule(cpu, barrier): T.barrier is not a function of its arguments' values, which rules "
            "are for");
  EXPECT_EQ(refusal("cpu", "exp", nullptr), "register_rule(cpu, exp): the rule is empty");
  EXPECT_EQ(refusal("", "exp", same), "register_rule(, exp): name a target, or a kind such as cpu");
  EXPECT_EQ(refusal("test_there", "exp", same), "");
  EXPECT_EQ(refusal("test_there", "exp", same),
            "register_rule(test_there, exp): there is a rule already; pass override_existing to replace it");
}

TEST(Rule, that_gives_another_type_is_refused_where_it_is_used) {
  target::Target mine = target::host();
  mine.name = "test_wrong";
  lower::register_rule("test_wrong", "exp", [](const std::vector<Expr>& x, const target::Target&) {
    return make_cast(float64.with_lanes(x[0].type().lanes), x[0]);
  });
  lower::register_rule("test_wrong", "log",
                       [](const std::vector<Expr>&, const target::Target&) { return Expr(); });
  EXPECT_EQ(error_of([&] { compiled(program("T.exp(@)", "float32", 5), float32, mine); }),
            "the rule of T.exp for target test_wrong gives float64x5 for a call of type float32x5, which "
            "must stay");
  EXPECT_EQ(
      error_of([&] { compiled(program("T.log(@)", "float32"), float32, mine); }),
      "the rule of T.log for target test_wrong gives nothing for a call of type float32, which must stay");
}

}  // namespace
}  // namespace ardea::functions_test
