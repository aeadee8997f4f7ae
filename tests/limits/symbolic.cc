#include <gtest/gtest.h>

#include "ardea/arith/regions.h"
#include "ardea/ir/parse.h"
#include "ardea/ir/print.h"
#include "ardea/lower/limits_of.h"
#include "ardea/schedule/primitives/loops/bind.h"
#include "ardea/schedule/primitives/loops/mark.h"
#include "ardea/schedule/primitives/loops/reorder.h"
#include "ardea/schedule/primitives/loops/split.h"
#include "ardea/schedule/primitives/memory/cache_read.h"
#include "ardea/schedule/primitives/memory/cache_write.h"
#include "ardea/schedule/primitives/memory/storage_align.h"
#include "ardea/schedule/primitives/place/compute_at.h"
#include "ardea/schedule/primitives/place/reverse_compute_at.h"
#include "ardea/schedule/primitives/reduce/decompose_reduction.h"
#include "ardea/schedule/schedule.h"
#include "ardea/support/random.h"
#include "ardea/support/text.h"
#include "tests/limits/found.h"
#include "tests/schedule/gemm_template.h"
#include "tests/support/sampled.h"

namespace ardea::limits {

namespace {

using namespace schedule;

/// A factor of the template by its name: a parameter of the program, or a number.
using Factor = std::function<schedule::Number(const std::string&)>;

struct Template {
  const char* name;
  std::vector<std::string> factors;
  std::string text;  ///< extents are products of factors in braces: {m0 * m1}
  void (*steps)(Schedule&, const Factor&);
};

void place_gemm(Schedule& s, const Factor& at) {
  const BlockRef c = s.get_block("C");
  const BlockRef out = s.blocks(CacheWrite{c, 0, "register"})[0];
  const BlockRef a = s.blocks(CacheRead{c, 0, "local"})[0], b = s.blocks(CacheRead{c, 1, "local"})[0];
  const auto [i, j, k] = tile_gemm(
      s, c,
      {{std::nullopt, at("m1"), at("m2")}, {std::nullopt, at("n1"), at("n2")}, {std::nullopt, at("k1")}});
  s.apply(Bind{i[0], "blockIdx.x"});
  s.apply(Bind{i[1], "threadIdx.x"});
  s.apply(ComputeAt{a, k[0], true});
  s.apply(ComputeAt{b, j[0], true});
  s.apply(ReverseComputeAt{out, j[1], true});
  s.apply(Unroll{i[2]});
  s.apply(Vectorize{j[2]});
  const auto stored = s.get_loops(out);
  s.apply(Unroll{stored[stored.size() - 2]});
  s.apply(Vectorize{stored.back()});
  s.apply(DecomposeReduction{c, k[0]});
}

void tile_convolution(Schedule& s, const Factor& at) {
  const BlockRef c = s.get_block("O");
  const BlockRef x = s.blocks(CacheRead{c, 0, "shared"})[0], w = s.blocks(CacheRead{c, 1, "global"})[0];
  const auto loops = s.get_loops(c);
  const auto f = s.loops(Split{loops[0], {std::nullopt, at("f1")}});
  const auto y = s.loops(Split{loops[1], {std::nullopt, at("y1")}});
  const auto u = s.loops(Split{loops[2], {std::nullopt, at("x1")}});
  s.apply(Reorder{{f[0], y[0], u[0], loops[3], loops[4], loops[5], f[1], y[1], u[1]}});
  s.apply(ComputeAt{x, u[0], true});
  s.apply(StorageAlign{x, 0, 1, at("y1"), 0});
  s.apply(ComputeAt{w, f[0], true});
  s.apply(Unroll{y[1]});
  s.apply(Vectorize{u[1]});
}

void tile_rows(Schedule& s, const Factor& at) {
  const BlockRef out = s.get_block("Y");
  const auto loops = s.get_loops(out);
  const auto r = s.loops(Split{loops[0], {std::nullopt, at("r1")}});
  s.apply(ComputeAt{s.get_block("S"), r[0], true});
  s.apply(ComputeAt{s.get_block("E"), r[0], true});
  s.apply(ComputeAt{s.get_block("M"), r[0], true});
  s.apply(Parallel{r[0]});
}

const std::vector<Template>& templates() {
  static const std::vector<Template> all = {
      {"gemm",
       {"m0", "m1", "m2", "n0", "n1", "n2", "k0", "k1"},
       R"(
def gemm(a: T.handle, b: T.handle, c: T.handle, z: T.handle):
@    A = T.match_buffer(a, ({m0 * m1 * m2}, {k0 * k1}), "float32")
    B = T.match_buffer(b, ({k0 * k1}, {n0 * n1 * n2}), "float32")
    C = T.match_buffer(c, ({m0 * m1 * m2}, {n0 * n1 * n2}), "float32")
)" + gemm_nest("{m0 * m1 * m2}", "{n0 * n1 * n2}", "{k0 * k1}"),
       place_gemm},
      {"strided convolution",
       {"f0", "f1", "y0", "y1", "x0", "x1", "c0"},
       R"(
def conv(a: T.handle, b: T.handle, c: T.handle, z: T.handle):
@    X = T.match_buffer(a, ({c0}, {y0 * y1} * 2 + 1, {x0 * x1} + 2), "float32")
    W = T.match_buffer(b, ({f0 * f1}, {c0}, 3, 3), "float32")
    O = T.match_buffer(c, ({f0 * f1}, {y0 * y1}, {x0 * x1}), "float32")
    for f, y, x, c, r, q in T.grid({f0 * f1}, {y0 * y1}, {x0 * x1}, {c0}, 3, 3):
        with T.block("O"):
            vf, vy, vx, vc, vr, vq = T.axis.remap("SSSRRR", [f, y, x, c, r, q])
            with T.init():
                O[vf, vy, vx] = T.float32(0)
            O[vf, vy, vx] = O[vf, vy, vx] + X[vc, vy * 2 + vr, vx + vq] * W[vf, vc, vr, vq]
)",
       tile_convolution},
      {"padded convolution",
       {"f0", "f1", "y0", "y1", "x0", "x1", "c0"},
       R"(
def padded(a: T.handle, b: T.handle, c: T.handle, z: T.handle):
@    X = T.match_buffer(a, ({c0}, {y0 * y1}, {x0 * x1} + 2), "float32")
    W = T.match_buffer(b, ({f0 * f1}, {c0}, 3, 3), "float32")
    O = T.match_buffer(c, ({f0 * f1}, {y0 * y1}, {x0 * x1}), "float32")
    for f, y, x, c, r, q in T.grid({f0 * f1}, {y0 * y1}, {x0 * x1}, {c0}, 3, 3):
        with T.block("O"):
            vf, vy, vx, vc, vr, vq = T.axis.remap("SSSRRR", [f, y, x, c, r, q])
            with T.init():
                O[vf, vy, vx] = T.float32(0)
            O[vf, vy, vx] = O[vf, vy, vx] + T.if_then_else(1 <= vy + vr and vy + vr < {y0 * y1} + 1, X[vc, vy + vr - 1, vx + vq], T.float32(0)) * W[vf, vc, vr, vq]
)",
       tile_convolution},
      {"softmax",
       {"r0", "r1", "n0"},
       R"(
def softmax(a: T.handle, b: T.handle, z: T.handle):
@    X = T.match_buffer(a, ({r0 * r1}, {n0}), "float32")
    Y = T.match_buffer(b, ({r0 * r1}, {n0}), "float32")
    M = T.alloc_buffer(({r0 * r1},), "float32")
    E = T.alloc_buffer(({r0 * r1}, {n0}), "float32")
    S = T.alloc_buffer(({r0 * r1},), "float32")
    for i, j in T.grid({r0 * r1}, {n0}):
        with T.block("M"):
            vi, vj = T.axis.remap("SR", [i, j])
            with T.init():
                M[vi] = T.float32(-1000)
            M[vi] = T.max(M[vi], X[vi, vj])
    for i, j in T.grid({r0 * r1}, {n0}):
        with T.block("E"):
            vi, vj = T.axis.remap("SS", [i, j])
            E[vi, vj] = T.exp(X[vi, vj] - M[vi])
    for i, j in T.grid({r0 * r1}, {n0}):
        with T.block("S"):
            vi, vj = T.axis.remap("SR", [i, j])
            with T.init():
                S[vi] = T.float32(0)
            S[vi] = S[vi] + E[vi, vj]
    for i, j in T.grid({r0 * r1}, {n0}):
        with T.block("Y"):
            vi, vj = T.axis.remap("SS", [i, j])
            Y[vi, vj] = E[vi, vj] / S[vi]
)",
       tile_rows},
  };
  return all;
}

using Assignment = std::map<std::string, std::int64_t>;

/// The text with its products as they are, or computed.
std::string written(const Template& t, const Assignment* numbers) {
  std::string text, parameters, source = t.text;
  for (const std::string& factor : t.factors)
    if (numbers == nullptr) parameters += "    " + factor + " = T.int64()\n";
  // The array makes each factor an extent, which is positive.
  std::vector<std::string> extents;
  for (const std::string& factor : t.factors)
    extents.push_back(numbers == nullptr ? factor : std::to_string(numbers->at(factor)));
  parameters += "    Z = T.match_buffer(z, (" + join(extents, ", ") + "), \"int8\")\n";
  for (std::size_t at = 0; at < source.size(); ++at) {
    if (source[at] == '@') {
      text += parameters;
    } else if (source[at] == '{') {
      const std::size_t end = source.find('}', at);
      const std::string product = source.substr(at + 1, end - at - 1);
      std::int64_t value = 1;
      for (const std::string& factor : t.factors)
        if (numbers != nullptr && product.find(factor) != std::string::npos) value *= numbers->at(factor);
      text += numbers == nullptr ? "(" + product + ")" : std::to_string(value);
      at = end;
    } else {
      text += source[at];
    }
  }
  return text;
}

Function parsed(const std::string& text) {
  return arith::complete_regions(parse("@T.prim_func" + text).functions.at(0));
}

class Symbolic : public testing::TestWithParam<std::size_t> {};

/// Of 200 assignments every fourth has a factor 1, and every fourth one that is its whole axis.
Assignment drawn(const Template& t, Random& random, int round) {
  Assignment numbers;
  for (const std::string& factor : t.factors) numbers[factor] = random.integer(1, 5);
  const auto any = [&] {
    return t.factors[static_cast<std::size_t>(random.integer(0, std::ssize(t.factors) - 1))];
  };
  if (round % 4 == 0) numbers[any()] = 1;
  if (round % 4 == 1) {
    const std::string whole = any();
    for (const std::string& factor : t.factors)
      if (factor[0] == whole[0] && factor != whole) numbers[factor] = 1;
  }
  return numbers;
}

TEST_P(Symbolic, limits_with_numbers_put_in_are_those_of_the_program_with_these_numbers) {
  const Template& t = templates()[GetParam()];
  const target::Target target = target::find("avx2");
  const Function symbolic = parsed(written(t, nullptr));
  const auto variable = [&](const std::string& name) {
    for (const Var& v : shape_variables(symbolic))
      if (v.name() == name) return v;
    throw Error("no factor " + name);
  };
  Schedule s(symbolic);
  t.steps(s, [&](const std::string& name) { return schedule::Number(NumberRef::fresh(variable(name))); });
  const Limits predicted = lower::limits_of(s.program(), target);
  Random random(7);
  for (int round = 0; round < static_cast<int>(test::sampled_count(3, 200)); ++round) {
    const Assignment assignment = drawn(t, random, round);
    Numbers numbers;
    std::string text;
    for (const auto& [name, value] : assignment) {
      numbers[variable(name)] = value;
      text += fmt::format("{}={} ", name, value);
    }
    Schedule concrete(parsed(written(t, &assignment)));
    t.steps(concrete, [&](const std::string& name) { return schedule::Number(assignment.at(name)); });
    const Limits real = lower::limits_of(concrete.program(), target);
    const auto same = [&](const char* what, const Expr& a, const Expr& b) {
      ASSERT_TRUE(value_at(a, numbers).has_value()) << what << ": " << print(a);
      EXPECT_EQ(*value_at(a, numbers), *value_at(b, {})) << what << " at " << text << ": " << print(a);
    };
    for (const auto& [scope, bytes] : real.live_bytes)
      same(scope.c_str(), predicted.live_bytes.at(scope), bytes);
    for (const auto& [axis, extent] : real.threads) same(axis.c_str(), predicted.threads.at(axis), extent);
    same("vector registers", predicted.vector_registers, real.vector_registers);
    same("unrolled iterations", predicted.unrolled_iterations, real.unrolled_iterations);
    same("parallel", predicted.parallel, real.parallel);
    ASSERT_EQ(predicted.vectors.size(), real.vectors.size());
    for (std::size_t i = 0; i < real.vectors.size(); ++i)
      same("lanes", predicted.vectors[i].extent, real.vectors[i].extent);
    EXPECT_GE(value_at(predicted.code_steps, numbers), value_at(real.code_steps, {})) << text;
    if (round % 20 == 0) {
      EXPECT_EQ(difference(real, found_by_lowering(concrete.program(), target)), "") << text;
    }
    if (testing::Test::HasFailure()) FAIL() << print(s.program());
  }
}

INSTANTIATE_TEST_SUITE_P(Templates, Symbolic, testing::Range<std::size_t>(0, 4));

}  // namespace

}  // namespace ardea::limits
