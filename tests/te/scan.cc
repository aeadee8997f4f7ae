#include "ardea/te/scan.h"

#include <gtest/gtest.h>

#include "ardea/te/compute.h"
#include "tests/te/both_ways.h"
#include "tests/te/refused.h"

namespace ardea::te {
namespace {

using test::expect_elements;
using test::run_both_ways;

TEST(Scan, adds_up_along_the_steps) {
  for (const auto& [steps, n] : std::vector<std::pair<std::int64_t, std::int64_t>>{{7, 5}, {2, 1}, {13, 3}}) {
    const Tensor X = placeholder("X", {steps, n}), s = placeholder("s", {steps, n});
    const Tensor init = compute("init", {1, n}, [&](const Var&, const Var& i) { return X(0, i); });
    const Tensor next =
        compute("next", {steps, n}, [&](const Var& t, const Var& i) { return s(t - 1, i) + X(t, i); });
    const Tensor prefix = scan("prefix", {init}, {next}, {s})[0];
    const auto x = run_both_ways(create_prim_func({X, prefix}));
    expect_elements(x[1], [&, width = n](const auto& at) {
      double total = 0;
      for (std::int64_t t = 0; t <= at[0]; ++t) total += x[0].get_float(t * width + at[1]);
      return total;
    });
  }
}

TEST(Scan, takes_symbolic_steps) {
  const Var T = size("T"), n = size("n");
  const Tensor X = placeholder("X", {T, n}), s = placeholder("s", {T, n});
  const Tensor init = compute("init", {1, n}, [&](const Var&, const Var& i) { return X(0, i); });
  const Tensor next =
      compute("next", {T, n}, [&](const Var& t, const Var& i) { return s(t - 1, i) * 0.5 + X(t, i); });
  const Tensor y = scan("y", {init}, {next}, {s})[0];
  const auto x = run_both_ways(create_prim_func({X, y}), 2, {{"T", 9}, {"n", 3}});
  expect_elements(x[1], [&](const auto& at) {
    double value = 0;
    for (std::int64_t t = 0; t <= at[0]; ++t) value = value / 2 + x[0].get_float(t * 3 + at[1]);
    return value;
  });
}

TEST(Scan, has_several_states_initial_steps_and_stages) {
  const std::int64_t steps = 11, n = 4;
  const Tensor X = placeholder("X", {steps, n}, int32);
  const Tensor a = placeholder("a", {steps, n}, int32), b = placeholder("b", {steps, n}, int32);
  const Tensor a0 = compute("a0", {2, n}, [&](const Var& t, const Var& i) { return X(t, i); });
  const Tensor b0 = compute("b0", {2, n}, [&](const Var& t, const Var& i) { return X(t, i) * 2; });
  // A cell of two stages, a reduction over the state before, and an update that reads another's new value.
  const Tensor mixed =
      compute("mixed", {steps, n}, [&](const Var& t, const Var& i) { return a(t - 1, i) - b(t - 2, i); });
  const Axis k = reduce_axis(n, "k");
  const Tensor total = compute("total", {steps}, [&](const Var& t) { return sum(b(t - 1, k), {k}); });
  const Tensor a1 =
      compute("a1", {steps, n}, [&](const Var& t, const Var& i) { return mixed(t, i) + X(t, i); });
  const Tensor b1 =
      compute("b1", {steps, n}, [&](const Var& t, const Var& i) { return a1(t, i) + total(t); });
  const auto states = scan("cell", {a0, b0}, {a1, b1}, {a, b});
  const auto x = run_both_ways(create_prim_func({X, states[0], states[1]}));
  std::vector<std::uint32_t> va(steps * n), vb(steps * n);
  const auto input = [&](std::int64_t t, std::int64_t i) {
    return static_cast<std::uint32_t>(x[0].get_int(t * n + i));
  };
  for (std::int64_t t = 0; t < steps; ++t)
    for (std::int64_t i = 0; i < n; ++i) {
      const auto at = static_cast<std::size_t>(t * n + i);
      if (t < 2) {
        va[at] = input(t, i);
        vb[at] = input(t, i) * 2;
        continue;
      }
      std::uint32_t before = 0;
      for (std::int64_t j = 0; j < n; ++j) before += vb[static_cast<std::size_t>((t - 1) * n + j)];
      va[at] = va[at - n] - vb[at - 2 * n] + input(t, i);
      vb[at] = va[at] + before;
    }
  for (std::int64_t i = 0; i < steps * n; ++i) {
    EXPECT_EQ(static_cast<std::uint32_t>(x[1].get_int(i)), va[static_cast<std::size_t>(i)]) << i;
    EXPECT_EQ(static_cast<std::uint32_t>(x[2].get_int(i)), vb[static_cast<std::size_t>(i)]) << i;
  }
}

TEST(Scan, feeds_and_follows_other_stages) {
  const Tensor X = placeholder("X", {6, 3}), s = placeholder("s", {6, 3});
  const Tensor scaled = compute("scaled", {6, 3}, [&](const Var& t, const Var& i) { return X(t, i) * 2; });
  const Tensor init = compute("init", {1, 3}, [&](const Var&, const Var& i) { return scaled(0, i); });
  const Tensor next =
      compute("next", {6, 3}, [&](const Var& t, const Var& i) { return s(t - 1, i) + scaled(t, i); });
  const Tensor sums = scan("sums", {init}, {next}, {s})[0];
  const Tensor Y = compute("Y", {3}, [&](const Var& i) { return sums(5, i) - sums(0, i); });
  const auto x = run_both_ways(create_prim_func({X, Y}));
  expect_elements(x[1], [&](const auto& at) {
    double total = 0;
    for (std::int64_t t = 1; t < 6; ++t) total += 2 * x[0].get_float(t * 3 + at[0]);
    return total;
  });
}

TEST(Scan, takes_an_input_as_its_first_steps) {
  const Tensor first = placeholder("first", {2, 3}), s = placeholder("s", {5, 3});
  const Tensor next =
      compute("next", {5, 3}, [&](const Var& t, const Var& i) { return s(t - 1, i) + s(t - 2, i); });
  const Tensor y = scan("y", {first}, {next}, {s})[0];
  const auto x = run_both_ways(create_prim_func({first, y}));
  for (int i = 0; i < 3; ++i)
    EXPECT_NEAR(x[1].get_float(4 * 3 + i), 2 * x[0].get_float(i) + 3 * x[0].get_float(3 + i), 1e-5);
}

TEST(Scan, refuses_what_is_no_recurrence) {
  const Tensor X = placeholder("X", {6, 3}), s = placeholder("s", {6, 3});
  const Tensor init = compute("init", {1, 3}, [&](const Var&, const Var& i) { return X(0, i); });
  const auto with = [&](auto body) { return scan("y", {init}, {compute("next", {6, 3}, body)}, {s}); };
  EXPECT_REFUSED(
      with([&](const Var& t, const Var& i) { return s(t, i) + X(t, i); }),
      "scan(y): next reads s[i0, i1], which is not proved to be a step before i0; a state knows its earlier "
      "steps only");
  EXPECT_REFUSED(with([&](const Var& t, const Var& i) { return s(t - 2, i); }),
                 "scan(y): next reads s[i0 - 2, i1], which is before the first step where i0 is 1; give init "
                 "more steps");
  const Tensor stage = compute("stage", {6, 3}, [&](const Var& t, const Var& i) { return s(t - 1, i); });
  EXPECT_REFUSED(
      with([&](const Var& t, const Var& i) { return stage(t - 1, i) + s(t - 1, i); }),
      "scan(y): next reads stage[i0 - 1, i1], a stage of the cell at another step than i0; keep it as a "
      "state of its own");
  const Tensor next = compute("next", {6, 3}, [&](const Var& t, const Var& i) { return s(t - 1, i); });
  EXPECT_REFUSED(scan("y", {init}, {next, next}, {s}),
                 "scan(y): 1 states, 1 inits and 2 updates; give one of each for every state");
  EXPECT_REFUSED(scan("y", {init}, {next}, {X, s}),
                 "scan(y): 2 states, 1 inits and 1 updates; give one of each for every state");
  const Tensor narrow = compute("narrow", {1, 2}, [&](const Var&, const Var& i) { return X(0, i); });
  EXPECT_REFUSED(scan("y", {narrow}, {next}, {s}),
                 "scan(y): extent 2 of narrow is 2, that of its state s is 3");
}

}  // namespace
}  // namespace ardea::te
