#include "ardea/te/hybrid.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "ardea/compile/compile.h"
#include "ardea/interp/interpreter.h"
#include "ardea/ir/print.h"
#include "ardea/te/compute.h"
#include "tests/te/both_ways.h"
#include "tests/te/refused.h"

namespace ardea::te {
namespace {

using runtime::Array;
using test::expect_elements;
using test::run_both_ways;

/// Interpreted and compiled alike; the inputs, then the outputs.
std::vector<Array> run(const std::vector<Tensor>& inputs, const std::vector<Tensor>& outputs,
                       const std::map<std::string, std::int64_t>& sizes = {}) {
  std::vector<Argument> arguments(inputs.begin(), inputs.end());
  arguments.insert(arguments.end(), outputs.begin(), outputs.end());
  return run_both_ways(create_prim_func(arguments), 1, sizes);
}

/// The function of seven int32 numbers a, which gives as many.
std::vector<std::int64_t> on_seven(const std::string& body, const std::vector<std::int32_t>& numbers) {
  const Tensor a = placeholder("a", {7}, int32);
  const Tensor c =
      hybrid("def f(a):\n    c = output_tensor((7,), 'int32')\n" + body + "    return c\n", {a})[0];
  const Function f = create_prim_func({a, c});
  const Array in = Array::zeros({7}, int32), interpreted = Array::zeros({7}, int32),
              compiled = Array::zeros({7}, int32);
  std::copy(numbers.begin(), numbers.end(), in.values<std::int32_t>().begin());
  interp::run(f, {in, interpreted});
  compile::callable(f, target::host()).call(std::vector<runtime::Value>{in, compiled});
  std::vector<std::int64_t> found;
  for (int i = 0; i < 7; ++i) {
    EXPECT_EQ(interpreted.get_int(i), compiled.get_int(i)) << print(f);
    found.push_back(interpreted.get_int(i));
  }
  return found;
}

const std::vector<std::int32_t> seven = {5, -3, 0, 8, -7, 2, 1};

using Numbers = std::vector<std::int64_t>;

Numbers of_each(const std::function<std::int64_t(std::int64_t)>& f) {
  Numbers expected;
  for (const std::int32_t x : seven) expected.push_back(f(x));
  return expected;
}

TEST(Hybrid, becomes_a_stage_of_loops) {
  const Tensor a = placeholder("a", {5}), b = placeholder("b", {3});
  const Tensor c = hybrid(R"(
@te.hybrid.script
def outer_product(a, b):
    c = output_tensor((a.shape[0], b.shape[0]), a.dtype)
    for i in parallel(a.shape[0]):
        row = a[i] * 2
        for j in const_range(3):
            c[i, j] = row * b[j] + j
    return c
)",
                          {a, b})[0];
  EXPECT_EQ(c.operation()->name, "outer_product");
  EXPECT_EQ(c.name(), "c");
  EXPECT_EQ(print(create_prim_func({a, b, c})), R"(# from tvm.script import tir as T

@T.prim_func
def main(a: T.Buffer((5,), "float32"), b: T.Buffer((3,), "float32"), c: T.Buffer((5, 3), "float32")):
    T.func_attr({"tir.noalias": T.bool(True)})
    # with T.block("root"):
    with T.block("outer_product"):
        T.reads(a[0:5], b[0:3])
        T.writes(c[0:5, 0:3])
        for i in T.parallel(5):
            row: T.float32 = a[i] * T.float32(2.0)
            c[i, 0] = row * b[0] + T.float32(0.0)
            c[i, 1] = row * b[1] + T.float32(1.0)
            c[i, 2] = row * b[2] + T.float32(2.0)
)");
  const auto x = run({a, b}, {c});
  expect_elements(x[2], [&](const auto& at) {
    return x[0].get_float(at[0]) * 2 * x[1].get_float(at[1]) + static_cast<double>(at[1]);
  });
}

TEST(Hybrid, writes_every_kind_of_loop_and_memory) {
  const Tensor a = placeholder("a", {4, 8});
  const auto both = hybrid(R"(
def kinds(a):
    sums = output_tensor((4,), "float32")
    counts = output_tensor((4,), "int32")
    rows = allocate(a.shape, a.dtype, "shared")
    for i in bind("threadIdx.x", 4):
        for j in vectorize(8):
            rows[i, j] = a[i, j]
    for i in serial(1, 5, annotations={"pragma": "yes"}):
        s = 0.0
        n = int32(0)
        for j in unroll(8):
            if not rows[i - 1, j] < 0:
                s += rows[i - 1, j]
                n += 1
        sums[i - 1] = s
        counts[i - 1] = n
    assert a.shape[0] == 4, "four rows"
    return sums, counts
)",
                           {a});
  EXPECT_EQ(print(create_prim_func({a, both[0], both[1]})), R"(# from tvm.script import tir as T

@T.prim_func
def main(a: T.Buffer((4, 8), "float32"), sums: T.Buffer((4,), "float32"), counts: T.Buffer((4,), "int32")):
    T.func_attr({"tir.noalias": T.bool(True)})
    # with T.block("root"):
    with T.block("kinds"):
        T.reads(a[0:4, 0:8])
        T.writes(sums[0:4], counts[0:4])
        rows_data = T.allocate([4, 8], "float32", "shared")
        rows = T.Buffer((4, 8), data=rows_data, scope="shared")
        for i in T.thread_binding(4, thread="threadIdx.x"):
            for j in T.vectorized(8):
                rows[i, j] = a[i, j]
        for i in T.serial(1, 5, annotations={"pragma": "yes"}):
            s_data = T.allocate([1], "float32", "local")
            s = T.Buffer((1,), data=s_data, scope="local")
            s[0] = T.float32(0.0)
            n_data = T.allocate([1], "int32", "local")
            n = T.Buffer((1,), "int32", data=n_data, scope="local")
            n[0] = 0
            for j in T.unroll(8):
                if not rows[i - 1, j] < T.float32(0.0):
                    s[0] = s[0] + rows[i - 1, j]
                    n[0] = n[0] + 1
            sums[i - 1] = s[0]
            counts[i - 1] = n[0]
        assert T.bool(True), "four rows"
)");
  const auto x = run({a}, both);
  const auto sum = [&](std::int64_t i, bool count) {
    double total = 0;
    for (int j = 0; j < 8; ++j) {
      const double value = x[0].get_float(i * 8 + j);
      if (value >= 0) total += count ? 1 : value;
    }
    return total;
  };
  expect_elements(x[1], [&](const auto& at) { return sum(at[0], false); });
  expect_elements(x[2], [&](const auto& at) { return sum(at[0], true); });
}

TEST(Hybrid, works_on_symbolic_extents_and_feeds_other_stages) {
  const Var n = size("n"), m = size("m");
  const Tensor a = placeholder("a", {n, m});
  const Tensor scaled =
      compute("scaled", dims(a.shape()), [&](const Var& i, const Var& j) { return a(i, j) * 3; });
  const Tensor sums = hybrid(R"(
def prefix(x):
    twice = x.shape[1] * 2
    c = output_tensor((x.shape[0], twice - 1), x.dtype)
    for i in range(x.shape[0]):
        total = 0.0
        for j in range(x.shape[1]):
            total += x[i, j]
            c[i, 2 * j] = total
            if j > 0: c[i, 2 * j - 1] = total / 2
    return c
)",
                             {scaled})[0];
  const Tensor y =
      compute("y", dims(sums.shape()), [&](const Var& i, const Var& j) { return sums(i, j) + 1; });
  for (const auto& [rows, columns] :
       std::vector<std::pair<std::int64_t, std::int64_t>>{{5, 7}, {1, 1}, {3, 13}}) {
    const auto x = run({a}, {y}, {{"n", rows}, {"m", columns}});
    expect_elements(
        x[1],
        [&](const auto& at) {
          double total = 0;
          for (std::int64_t j = 0; 2 * j - 1 <= at[1]; ++j)
            total += 3 * x[0].get_float(at[0] * x[0].shape()[1] + j);
          return (at[1] % 2 == 0 ? total : total / 2) + 1;
        },
        1e-4);
  }
}

TEST(Hybrid, takes_numbers_expressions_and_lists) {
  const Var alpha("alpha", float32), n = size("n");
  const Tensor a = placeholder("a", {n}), b = placeholder("b", {n});
  const Tensor c =
      hybrid(R"(
def combine(tensors, weights, alpha, last, shift):
    c = output_tensor((tensors[0].shape[0],), tensors[0].dtype)
    for i in range(last + 1):
        c[i] = shift
        for t in const_range(len(tensors)):
            if t % 2 == 1:
                c[i] += tensors[t][i] * weights[t]
            else:
                c[i] -= tensors[t][i] * weights[t] ** 2
        c[i] *= alpha
    return c
)",
             {std::vector<Tensor>{a, b, a}, HybridArgument::List{2, 0.5, 3}, alpha, n - 1, 0.25})[0];
  const auto x = run_both_ways(create_prim_func({a, b, alpha, c}), 1, {{"n", 11}});
  const double scale = x[2].get_float(0) / (0.25 - 13 * x[0].get_float(0) + 0.5 * x[1].get_float(0));
  EXPECT_NE(scale, 0);
  expect_elements(
      x[2],
      [&](const auto& at) {
        return scale * (0.25 - 13 * x[0].get_float(at[0]) + 0.5 * x[1].get_float(at[0]));
      },
      1e-4);
}

TEST(Hybrid, chooses_and_compares_as_python_does) {
  EXPECT_EQ(on_seven(R"(
    for i in range(7):
        if a[i] < 0:
            c[i] = -1
        elif a[i] == 0 or a[i] == 1:
            c[i] = 0
        elif 1 < a[i] <= 5 != 2:
            c[i] = 10
        else: c[i] = 20
)",
                     seven),
            (Numbers{10, -1, 0, 20, -1, 10, 0}));
  EXPECT_EQ(on_seven(R"(
    for i in range(7):
        c[i] = 100 // a[i] if a[i] != 0 else -100 if i > 1 else 7
)",
                     seven),
            (Numbers{20, -34, -100, 12, -15, 50, 100}));
  EXPECT_EQ(on_seven(R"(
    for i in range(7):
        flag = a[i] > 0 and not a[i] == 8
        again = True
        again = flag
        nothing = 0.5 * (1 if a[i] > 0 else 2.5 if a[i] < 0 else -1) > 0.6
        c[i] = 1 if again and (True or a[i] > 3) and not False else 0
        c[i] += 2 if nothing else 4
)",
                     seven),
            (Numbers{5, 2, 4, 4, 2, 5, 5}));
}

TEST(Hybrid, computes_with_every_operator) {
  EXPECT_EQ(on_seven(R"(
    for i in range(7):
        c[i] = a[i]
        c[i] += 3
        c[i] -= 1
        c[i] *= 5
        c[i] //= 2
        c[i] %= 7
        c[i] <<= 2
        c[i] |= 3
        c[i] ^= 1
        c[i] &= 30
        c[i] >>= 1
)",
                     seven),
            of_each([](std::int64_t x) {
              const std::int64_t v = (x + 2) * 5, half = v >= 0 ? v / 2 : (v - 1) / 2;
              return (((((half % 7 + 7) % 7) << 2 | 3) ^ 1) & 30) >> 1;
            }));
  EXPECT_EQ(on_seven(R"(
    for i in range(7):
        c[i] = -a[i] ** 2 + (2 ** 3 ** 2 - 512) + ~a[i] - +a[i] % 3 + (a[i] ** 3 - a[i] * a[i] * a[i])
)",
                     seven),
            of_each([](std::int64_t x) { return -(x * x) - x - 1 - (x % 3 + 3) % 3; }));
  EXPECT_EQ(on_seven(R"(
    for i in range(7):
        c[i] = min(a[i], 4, 6) + max(a[i], -2) + abs(a[i]) + truncdiv(a[i], 2) + truncmod(a[i], 3) + popcount(a[i]) + clz(a[i])
)",
                     seven),
            of_each([](std::int64_t x) {
              const auto bits = static_cast<std::uint32_t>(x);
              return std::min<std::int64_t>(x, 4) + std::max<std::int64_t>(x, -2) + std::abs(x) + x / 2 +
                     x % 3 + std::popcount(bits) + std::countl_zero(bits);
            }));
}

TEST(Hybrid, computes_constants_as_python_does) {
  EXPECT_EQ(on_seven(R"(
    c[0] = -7 // 2 + -6 // -4
    c[1] = -7 % 3 * 10 + 7 % -3
    c[2] = 2 ** 10 - (1 << 4) - (-9 >> 1)
    c[3] = int32(7 / 2 * 10) + int32(2 ** -1 * 4)
    c[4] = min(3, -2) + max(1, 5) ^ 3
    c[5] = 6 & 3 | 8
    c[6] = int32(1.5 * -2 + 0.25 - 1) + (3 if 1.5 >= 1 else 4)
)",
                     seven),
            (Numbers{-3, 18, 1013, 37, 0, 10, 0}));
}

TEST(Hybrid, calls_intrinsics_by_name_on_floats) {
  const Tensor a = placeholder("a", {13}), b = placeholder("b", {13}, float64);
  const Tensor c = hybrid(R"(
def f(a, b):
    c = output_tensor(a.shape, "float64")
    third = 1 / 3
    c[0] = third if infinity("float32") > a[0] else float64(max_value("int8"))
    for i in range(len(a.shape), a.shape[0]):
        x = a[i] * a[i] + 0.5
        y = sqrt(x) + exp(-x) + log(x) + sigmoid(x) + tanh(a[i]) + power(x, 1.5) + x ** 2 + fma(x, x, a[i])
        c[i] = cast(c.dtype, y) * third + b[i] / 4 + float64(int32(x * 10)) + cast(float64, isnan(x)) + float64(1 / 3)
    return c
)",
                          {a, b})[0];
  const auto x = run({a, b}, {c});
  expect_elements(
      x[2],
      [&](const auto& at) {
        if (at[0] == 0) return 1.0 / 3;
        const double v = x[0].get_float(at[0]), w = v * v + 0.5;
        const double y = std::sqrt(w) + std::exp(-w) + std::log(w) + 1 / (1 + std::exp(-w)) + std::tanh(v) +
                         std::pow(w, 1.5) + w * w + w * w + v;
        return y / 3 + x[1].get_float(at[0]) / 4 + static_cast<int>(static_cast<float>(w * 10)) + 1.0 / 3;
      },
      1e-5);
}

TEST(Hybrid, loops_and_indexes_by_data) {
  EXPECT_EQ(on_seven(R"(
    for i in range(7):
        c[i] = 0
        for j in range(a[i]):
            c[i] += j
        for j in range(a[i], a[i] + 2):
            c[i] += 100 * j
        for j in range(i, 7):
            for k in range(a[i], j):
                c[i] += 1
)",
                     seven),
            (Numbers{1111, -461, 120, 1728, -1264, 508, 305}));
  EXPECT_EQ(on_seven(R"(
    order = allocate((7,), "int64")
    for i in range(7):
        order[i] = i
    for i in range(7):
        for j in range(6 - i):
            here = order[j]
            if a[order[j + 1]] < a[here]:
                order[j] = order[j + 1]
                order[j + 1] = here
    position = 0
    for i in range(7):
        c[i] = a[order[position]]
        position += 1
)",
                     seven),
            (Numbers{-7, -3, 0, 1, 2, 5, 8}));
}

TEST(Hybrid, may_change_the_variables_of_the_condition_that_it_is_under) {
  EXPECT_EQ(on_seven(R"(
    for i in range(7): c[i] = -1
    k = 8
    for i in range(7):
        if i >= k:
            c[i] = a[i]
        elif k > 6:
            k = 0
            c[k] += 100
        k += 2
        if k >= 5:
            k = i + 2
            c[k % 7] += 10
)",
                     seven),
            (Numbers{209, -1, -1, -1, 9, 9, 9}));
}

TEST(Hybrid, gives_each_run_of_a_suite_its_own_variables) {
  EXPECT_EQ(on_seven(R"(
    for i in range(7):
        total = 0
        for j in const_range(6, 0, -2):
            part = a[i] * j
            part += 1
            if j == 4:
                total -= part
            else: total += part
        window = allocate((i + 1, 2), "int32", "local")
        for j in range(i + 1):
            window[j][0] = int32(j)
            window[j][1] = a[j]
        c[i] = int32(total) + window[i, 0] * 1000 + window[i // 2, 1]
)",
                     seven),
            (Numbers{26, 994, 1998, 3030, 3973, 5009, 6013}));
}

TEST(Hybrid, leaves_unread_what_a_constant_condition_does_not_take) {
  const Tensor a = placeholder("a", {3}), b = placeholder("b", {3});
  const Tensor c = hybrid(R"(
def differences(tensors):
    c = output_tensor((3,))
    for t in const_range(2):
        for i in range(3):
            if t > 0:
                c[i] = tensors[t][i] - tensors[t - 1][i]
            elif tensors[0][i] > 1000:
                c[i] = 0
            else:
                c[i] = 1
    for t in const_range(0):
        c[nowhere] = 0
    if False: nothing = 1
    return c
)",
                          {std::vector<Tensor>{a, b}})[0];
  const auto x = run({a, b}, {c});
  expect_elements(x[2], [&](const auto& at) { return x[1].get_float(at[0]) - x[0].get_float(at[0]); });
}

TEST(Hybrid, stops_where_an_assertion_is_false) {
  const Tensor a = placeholder("a", {3});
  const Tensor c = hybrid(R"(
def f(a):
    c = output_tensor((3,))
    for i in range(3):
        assert a[i] > 0, "only positive numbers"
        assert a[i] < 5
        c[i] = a[i]
    return c
)",
                          {a}, "f.py")[0];
  const Function f = create_prim_func({a, c});
  const auto call = [&](float last) {
    const Array in = Array::zeros({3}, float32), out = Array::zeros({3}, float32);
    in.values<float>()[0] = in.values<float>()[1] = 1;
    in.values<float>()[2] = last;
    const auto message = [](const std::function<void()>& run) -> std::string {
      try {
        run();
      } catch (const Error& error) {
        return error.what();
      }
      return "";
    };
    const std::string interpreted = message([&] { interp::run(f, {in, out}); }),
                      compiled = message([&] {
                        compile::callable(f, target::host()).call(std::vector<runtime::Value>{in, out});
                      });
    EXPECT_EQ(interpreted.empty(), compiled.empty());
    return interpreted + " | " + compiled;
  };
  EXPECT_EQ(call(1), " | ");
  EXPECT_NE(call(-1).find(" | only positive numbers"), std::string::npos) << call(-1);
  EXPECT_NE(call(6).find("f.py:6: the assertion is false"), std::string::npos) << call(6);
}

TEST(Hybrid, stores_any_type) {
  for (const DataType type : {int8, uint8, int16, uint32, int64, float16, bfloat16, float64, boolean}) {
    const Tensor a = placeholder("a", {5}, type);
    const Tensor c = hybrid(R"(
def f(a):
    c = output_tensor(a.shape, a.dtype)
    last = a[4]
    for i in range(5):
        now = a[i]
        c[i] = last
        last = now
    return c
)",
                            {a})[0];
    const auto x = run({a}, {c});
    expect_elements(x[1], [&](const auto& at) { return x[0].get_float((at[0] + 4) % 5); }, 0);
  }
}

}  // namespace
}  // namespace ardea::te
