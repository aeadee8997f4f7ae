#include "ardea/measure/error_bounds.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "ardea/arith/load.h"
#include "ardea/arith/verify.h"
#include "ardea/interp/interpreter.h"
#include "ardea/measure/check.h"
#include "ardea/measure/inputs.h"
#include "ardea/support/narrow_float.h"
#include "ardea/support/random.h"

namespace ardea::measure {
namespace {

using runtime::Array;

Function load(const std::string& text) { return arith::load_program(text, "test").functions[0]; }

std::string gemm_text(int m, int k, int n, const std::string& in = "float32",
                      const std::string& acc = "float32") {
  const auto cast = [&](const std::string& x) {
    return in == acc ? x : "T.Cast(\"" + acc + "\", " + x + ")";
  };
  const auto s = [](int x) { return std::to_string(x); };
  return "@T.prim_func\ndef gemm(A: T.Buffer((" + s(m) + ", " + s(k) + "), \"" + in + "\"), B: T.Buffer((" +
         s(k) + ", " + s(n) + "), \"" + in + "\"), C: T.Buffer((" + s(m) + ", " + s(n) + "), \"" + acc +
         "\")):\n    for i, j, r in T.grid(" + s(m) + ", " + s(n) + ", " + s(k) +
         "):\n        with T.block(\"C\"):\n            vi, vj, vr = T.axis.remap(\"SSR\", [i, j, r])\n"
         "            with T.init():\n                C[vi, vj] = T." +
         acc + "(0.0)\n            C[vi, vj] = C[vi, vj] + " + cast("A[vi, vr]") + " * " + cast("B[vr, vj]") +
         "\n";
}

/// The reference values and bounds of the last array argument.
struct ReferenceRun {
  Array value, bound;
};

ReferenceRun run_bounded(const Function& f, const std::vector<interp::Argument>& before) {
  const BoundedProgram program = with_error_bounds(f);
  arith::require_valid(program.function, "bounded");
  std::vector<interp::Argument> arguments(program.function.parameters.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    const auto& array = std::get<Array>(before[i]);
    const DataType type = program.function.parameters[program.parameters[i].value].buffer->type;
    const Array value = Array::empty(array.shape(), type);
    for (std::int64_t k = 0; k < array.element_count(); ++k)
      type.is_float() ? value.set_float(k, array.get_float(k)) : value.set_int(k, array.get_int(k));
    arguments[program.parameters[i].value] = value;
    if (program.parameters[i].bound)
      arguments[*program.parameters[i].bound] = Array::zeros(array.shape(), float64);
  }
  interp::run(program.function, arguments);
  return {std::get<Array>(arguments[program.parameters.back().value]),
          std::get<Array>(arguments[program.parameters.back().bound.value()])};
}

TEST(ErrorBounds, a_product_sum_gets_the_textbook_bound) {
  for (const int k : {1, 2, 7, 61, 503}) {
    const Function f = load(gemm_text(3, k, 2));
    const auto before = make_arguments(f, {.seed = 5});
    const ReferenceRun reference = run_bounded(f, before);
    const auto &a = std::get<Array>(before[0]), &b = std::get<Array>(before[1]);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 2; ++j) {
        double exact = 0, magnitude = 0;
        for (int r = 0; r < k; ++r) {
          const double product = a.get_float(i * k + r) * b.get_float(r * 2 + j);
          exact += product;
          magnitude += std::fabs(product);
        }
        const double textbook = (k + 4) * 0x1p-24 * magnitude + 0x1p-24 * std::fabs(exact);
        const double bound = reference.bound.get_float(i * 2 + j);
        EXPECT_NEAR(reference.value.get_float(i * 2 + j), exact, 1e-12);
        EXPECT_LE(bound, textbook * 1.0001) << "k = " << k;
        EXPECT_GE(bound, (k + 1) * 0x1p-24 * magnitude) << "k = " << k;
      }
  }
}

TEST(ErrorBounds, holds_for_every_order_of_a_declared_sum) {
  Random random(11);
  const int k = 257;
  const Function f = load(gemm_text(1, k, 1));
  for (int trial = 0; trial < 20; ++trial) {
    auto before = make_arguments(f, {.seed = static_cast<std::uint64_t>(trial)});
    const auto &a = std::get<Array>(before[0]), &b = std::get<Array>(before[1]);
    for (int r = 0; r < k; ++r)
      a.set_float(r, std::ldexp(random.real() - 0.5, static_cast<int>(random.integer(-12, 12))));
    const ReferenceRun reference = run_bounded(f, before);
    for (int order = 0; order < 20; ++order) {
      std::vector<int> places(k);
      for (int r = 0; r < k; ++r) places[r] = r;
      for (int r = k - 1; r > 0; --r) std::swap(places[r], places[random.integer(0, r)]);
      if (order == 0)  // largest first: every partial sum is large
        std::sort(places.begin(), places.end(),
                  [&](int x, int y) { return std::fabs(a.get_float(x)) > std::fabs(a.get_float(y)); });
      float sum = 0;
      for (const int r : places) {
        const float product = static_cast<float>(a.get_float(r)) * static_cast<float>(b.get_float(r));
        sum += product;
      }
      EXPECT_LE(std::fabs(sum - reference.value.get_float(0)), reference.bound.get_float(0))
          << "trial " << trial;
    }
  }
}

/// A sum that goes on from 1000, or starts from it, has the rounding of large partial sums whatever its terms
/// are.
TEST(ErrorBounds, count_what_a_sum_starts_from) {
  const std::string head =
      "@T.prim_func\ndef f(X: T.Buffer((64,), \"float32\"), Y: T.Buffer((1,), \"float32\")):\n    for i in "
      "range(64):\n"
      "        with T.block(\"sum\"):\n            k = T.axis.reduce(64, i)\n";
  const std::string init = "            with T.init():\n                Y[0] = T.float32(1000.0)\n";
  const std::string update = "            Y[0] = Y[0] + X[k]\n";
  const std::string with_init = head + init + update, without = head + update;
  for (const std::string& text : {with_init, without}) {
    const Function f = load(text);
    auto before = make_arguments(f, {.seed = 2});
    std::get<Array>(before[1]).set_float(0, 1000);
    for (int i = 0; i < 64; ++i) std::get<Array>(before[0]).set_float(i, 1e-3 * (i + 1) / 7);
    const ReferenceRun reference = run_bounded(f, before);
    float sum = 1000;
    for (int i = 0; i < 64; ++i) sum += static_cast<float>(std::get<Array>(before[0]).get_float(i));
    EXPECT_LE(std::fabs(sum - reference.value.get_float(0)), reference.bound.get_float(0)) << text;
    EXPECT_LE(reference.bound.get_float(0), 66 * 0x1p-24 * 1001 + 1e-4) << text;
  }
}

/// One function of x on float32, evaluated through the bounded program and directly in float32 arithmetic.
struct UnaryCase {
  std::string text;
  std::function<double(float)> in_float32;
  double low, high;
};

TEST(ErrorBounds, contains_what_float32_arithmetic_gives_and_is_not_loose) {
  const auto f32 = [](double x) { return static_cast<float>(x); };
  const std::vector<UnaryCase> cases = {
      {"x * x + x", [&](float x) { return f32(f32(x * x) + x); }, -3, 3},
      {"(x - T.float32(1.0)) / (x + T.float32(2.5))",
       [&](float x) { return f32(f32(x - 1) / f32(x + 2.5f)); }, -2, 3},
      {"T.exp(x * x)", [&](float x) { return std::exp(f32(x * x)); }, -2, 2},
      {"T.log(x + T.float32(1.0))", [&](float x) { return std::log(f32(x + 1)); }, 0.1, 4},
      {"T.sqrt(x * x + T.float32(1.0))", [&](float x) { return std::sqrt(f32(f32(x * x) + 1)); }, -4, 4},
      {"T.sin(x * T.float32(3.0))", [&](float x) { return std::sin(f32(x * 3)); }, -4, 4},
      {"T.tanh(x + x * x)", [&](float x) { return std::tanh(f32(x + f32(x * x))); }, -4, 4},
      {"T.tan(x * x)", [&](float x) { return std::tan(f32(x * x)); }, -1, 1},
      {"T.cosh(x * x)", [&](float x) { return std::cosh(f32(x * x)); }, -2, 2},
      {"T.pow(x * x + T.float32(0.5), x)", [&](float x) { return std::pow(f32(f32(x * x) + 0.5f), x); }, -2,
       2},
      {"T.atan2(x * x, x + T.float32(3.0))", [&](float x) { return std::atan2(f32(x * x), f32(x + 3)); }, -2,
       2},
      {"T.max(x * x, T.float32(1.0) - x)", [&](float x) { return std::max(f32(x * x), f32(1 - x)); }, -2, 2},
      {"T.floor(x * T.float32(5.0))", [&](float x) { return std::floor(f32(x * 5)); }, -2, 2},
      {"T.Select(x * x > x, x, x * T.float32(2.0))", [&](float x) { return f32(x * x) > x ? x : f32(x * 2); },
       -2, 2},
      {"T.fma(x, x, x)", [&](float x) { return std::fma(x, x, x); }, -2, 2},
      {"T.Cast(\"float32\", T.Cast(\"bfloat16\", x * x))",
       [&](float x) { return round_to_type(f32(x * x), bfloat16); }, -2, 2},
      {"T.Cast(\"float32\", T.Cast(\"int32\", x * T.float32(7.0)))",
       [&](float x) { return static_cast<double>(static_cast<int>(f32(x * 7))); }, -2, 2},
      {"T.copysign(x, x * x - T.float32(1.0))",
       [&](float x) { return std::copysign(x, f32(f32(x * x) - 1)); }, -2, 2},
  };
  Random random(3);
  for (const UnaryCase& c : cases) {
    std::string expression = c.text;
    for (std::size_t at = 0; (at = expression.find('x', at)) != std::string::npos; at += 1)
      if ((at == 0 || !std::isalpha(expression[at - 1])) && !std::isalpha(expression[at + 1]))
        expression.replace(at, 1, "X[i]"), at += 3;
    const Function f = load(
        "@T.prim_func\ndef f(X: T.Buffer((200,), \"float32\"), Y: T.Buffer((200,), \"float32\")):\n    for i "
        "in range(200):\n        Y[i] = " +
        expression + "\n");
    auto before = make_arguments(f, {});
    const auto& x = std::get<Array>(before[0]);
    for (int i = 0; i < 200; ++i) x.set_float(i, c.low + (c.high - c.low) * random.real());
    const ReferenceRun reference = run_bounded(f, before);
    double loosest = 0;
    for (int i = 0; i < 200; ++i) {
      const double got = static_cast<float>(c.in_float32(static_cast<float>(x.get_float(i))));
      const double value = reference.value.get_float(i), bound = reference.bound.get_float(i);
      EXPECT_LE(std::fabs(got - value), bound) << c.text << " at x = " << x.get_float(i);
      loosest = std::max(loosest, bound / (std::fabs(value) + 1));
    }
    const bool steps =
        c.text.find("floor") != std::string::npos || c.text.find("bfloat16") != std::string::npos;
    EXPECT_LE(loosest, steps ? 1.0 : 5e-3) << c.text;
  }
}

TEST(ErrorBounds, what_is_only_read_and_integers_that_no_float_reaches_have_no_bound) {
  const Function f = load(
      "@T.prim_func\ndef f(X: T.Buffer((5,), \"int8\"), Z: T.Buffer((5,), \"float32\"), Y: T.Buffer((5,), "
      "\"int32\"), W: T.Buffer((5,), \"int32\")):\n"
      "    for i in range(5):\n        Y[i] = T.Cast(\"int32\", X[i]) * 3\n        W[i] = T.Cast(\"int32\", "
      "Z[i] * T.float32(3.0))\n");
  const BoundedProgram program = with_error_bounds(f);
  EXPECT_FALSE(program.parameters[0].bound);
  EXPECT_FALSE(program.parameters[1].bound);
  EXPECT_FALSE(program.parameters[2].bound);
  EXPECT_TRUE(program.parameters[3].bound);
}

/// What was copied is as exact as what was given: of two that are equal, every correct program says so.
TEST(ErrorBounds, a_comparison_of_exact_values_that_memory_holds_is_decided) {
  const auto bound_of = [](const std::string& value) {
    const Function f = load(R"(@T.prim_func
def main(A: T.Buffer((4,), "float32"), C: T.Buffer((4,), "int32")):
    B = T.alloc_buffer((4,))
    for i in range(4):
        with T.block("B"):
            v = T.axis.spatial(4, i)
            B[v] = )" + value +
                            R"(
    for i in range(4):
        with T.block("C"):
            v = T.axis.spatial(4, i)
            C[v] = T.Select(A[v] == B[v], T.int32(7), T.int32(0))
)");
    return run_bounded(f, make_arguments(f, {.seed = 3})).bound.get_float(0);
  };
  EXPECT_EQ(bound_of("A[v]"), 0);
  EXPECT_EQ(bound_of("A[v] * T.float32(1)"), 7);
}

TEST(ErrorBounds, an_overflow_of_a_narrow_type_has_no_finite_bound) {
  const Function f = load(
      "@T.prim_func\ndef f(X: T.Buffer((2,), \"float16\"), Y: T.Buffer((2,), \"float16\")):\n    for i in "
      "range(2):\n        Y[i] = X[i] * X[i]\n");
  auto before = make_arguments(f, {});
  std::get<Array>(before[0]).set_float(0, 100);
  std::get<Array>(before[0]).set_float(1, 1000);
  const ReferenceRun reference = run_bounded(f, before);
  EXPECT_LT(reference.bound.get_float(0), 10);
  EXPECT_TRUE(std::isinf(reference.bound.get_float(1)));
}

}  // namespace
}  // namespace ardea::measure
