#include <gtest/gtest.h>

#include <map>

#include "ardea/arith/verify.h"
#include "ardea/compile/compile.h"
#include "ardea/interp/interpreter.h"
#include "ardea/ir/print.h"
#include "ardea/ir/scope.h"
#include "ardea/ir/traverse.h"
#include "ardea/lower/pipeline.h"
#include "ardea/support/random.h"
#include "tests/tiles/tiled_gemm.h"

/// The tiles compute the product. Elements are small integers, so that every order of the sums gives the same
/// bits.

namespace ardea::tiles {
namespace {

struct Matrices {
  runtime::Array a, b, c;
  std::vector<float> product;  ///< by the formula

  Matrices(const Gemm& gemm, std::uint64_t seed)
      : a(runtime::Array::empty({gemm.m, gemm.k}, float32)),
        b(runtime::Array::empty({gemm.k, gemm.n}, float32)),
        c(runtime::Array::empty({gemm.m, gemm.n}, float32)),
        product(static_cast<std::size_t>(gemm.m * gemm.n)) {
    Random random(seed);
    for (const runtime::Array& array : {a, b})
      for (float& x : array.values<float>()) x = static_cast<float>(random.integer(-3, 3));
    const auto x = a.values<float>(), y = b.values<float>();
    for (std::int64_t i = 0; i < gemm.m; ++i)
      for (std::int64_t k = 0; k < gemm.k; ++k)
        for (std::int64_t j = 0; j < gemm.n; ++j)
          product[static_cast<std::size_t>(i * gemm.n + j)] +=
              x[static_cast<std::size_t>(i * gemm.k + k)] * y[static_cast<std::size_t>(k * gemm.n + j)];
    forget();
  }

  void forget() const { std::fill(c.values<float>().begin(), c.values<float>().end(), -1000.0F); }

  void expect_product() const {
    const auto got = c.values<float>();
    for (std::size_t i = 0; i < product.size(); ++i)
      ASSERT_EQ(got[i], product[i]) << "element " << i << " of " << product.size();
  }
};

TEST(TiledGemm, computes_the_product_on_this_machine) {
  const target::Target host = target::host();
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const Gemm gemm = random_gemm(seed, host);
    SCOPED_TRACE(describe(gemm));
    const Matrices matrices(gemm, seed);
    compile::callable(scheduled(gemm), host)(matrices.a, matrices.b, matrices.c);
    matrices.expect_product();
  }
}

TEST(TiledGemm, computes_the_product_of_sizes_that_are_not_known) {
  const target::Target host = target::host();
  Gemm gemm{.rows = 4, .columns = 2 * host.vector_bits / 32, .symbolic = true};
  const runtime::Function compiled = compile::callable(scheduled(gemm), host);
  Random random(7);
  for (int round = 0; round < 40; ++round) {
    gemm.m = random.integer(1, 3 * gemm.rows + 3);
    gemm.n = random.integer(1, 3 * gemm.columns + 3);
    gemm.k = random.integer(1, 20);
    SCOPED_TRACE(describe(gemm));
    const Matrices matrices(gemm, static_cast<std::uint64_t>(round));
    compiled(matrices.a, matrices.b, matrices.c);
    matrices.expect_product();
  }
}

/// Whole tiles, and for each number of rows that may be left over a kernel without conditions.
TEST(TiledGemm, has_a_case_for_each_tail_of_unknown_size) {
  const target::Target target = target::find("skylake-avx512");
  const Gemm gemm{.rows = 5, .columns = 32, .symbolic = true};
  const Function f = lower::lower_until(scheduled(gemm), target, "promote_registers");
  std::map<std::int64_t, int> kernels;  // by the slots that the loop over the sum updates
  visit_stmts(f.body, [&](const Stmt& s) {
    const auto* loop = s.as<For>();
    std::int64_t slots = 0;
    bool is_innermost = loop != nullptr;
    if (loop != nullptr)
      visit_stmts(loop->body, [&](const Stmt& part) {
        const auto* store = part.as<Store>();
        slots += store != nullptr && store->buffer->scope == register_scope ? 1 : 0;
        is_innermost = is_innermost && !part.is<For>();
      });
    if (is_innermost && slots > 0) ++kernels[slots];
  });
  const std::map<std::int64_t, int> wanted = {{2, 2}, {4, 2}, {6, 2}, {8, 2}, {10, 2}};
  EXPECT_EQ(kernels, wanted) << print(f);
}

class EveryTarget : public ::testing::TestWithParam<const char*> {};

/// Masks by hardware, masks that must go, and vectors too narrow for the tile.
TEST_P(EveryTarget, keeps_the_product_after_every_pass) {
  const target::Target target = target::find(GetParam());
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    Random random(seed);
    const std::int64_t lanes = target.vector_bits / 32;
    const Gemm gemm{.m = random.integer(3, 8),
                    .n = random.integer(1, 3 * lanes),
                    .k = random.integer(4, 7),
                    .rows = 3,
                    .columns = random.integer(0, 1) == 0 ? 2 * lanes : lanes + 1,
                    .symbolic = seed % 3 == 0};
    SCOPED_TRACE(describe(gemm));
    const Matrices matrices(gemm, seed);
    Function f = scheduled(gemm);
    for (const lower::Pass& pass : lower::pipeline(target)) {
      f = pass.run(f, target);
      for (const arith::Violation& v : arith::verify(f)) ADD_FAILURE() << pass.name << ": " << v.message;
      if (pass.name == "pack_arguments") break;
      matrices.forget();
      interp::run(f, {matrices.a, matrices.b, matrices.c}, {.uninitialised_arguments = {2}});
      SCOPED_TRACE(pass.name + "\n" + print(f));
      matrices.expect_product();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Tiles, EveryTarget,
                         ::testing::Values("generic-x86_64", "avx2", "skylake-avx512", "neoverse-n1"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

/// The design's shape of a tiled product: every tail is a nest of its own with a register tile of its own and
/// no condition inside, and masks stand on the stores of results only.
TEST(TiledGemm, has_a_nest_for_each_tail_and_masks_on_its_results_only) {
  for (const char* name : {"skylake-avx512", "neoverse-n1"}) {
    const target::Target target = target::find(name);
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      const Gemm gemm = random_gemm(seed, target);
      SCOPED_TRACE(describe(gemm));
      const Function f = lower::lower_until(scheduled(gemm), target, "promote_registers");
      int sums = 0;
      visit_stmts(f.body, [&](const Stmt& s) {
        const auto* loop = s.as<For>();
        if (loop != nullptr &&
            (loop->var.name() == "k_0" || loop->var.name() == "k" || loop->var.name() == "k_rest"))
          for (const Buffer& buffer : buffers_in(loop->body))
            if (buffer->scope == register_scope) {
              ++sums;
              break;
            }
        EXPECT_FALSE(s.is<If>());
        const auto* store = s.as<Store>();
        if (store == nullptr || store->buffer->scope != register_scope) return;
        visit_exprs(store->value, [&](const Expr& e) {
          EXPECT_FALSE(e.is<Select>()) << print(s);
          const auto* load = e.as<Load>();
          EXPECT_TRUE(load == nullptr || is_true(load->predicate)) << print(s);
        });
      });
      EXPECT_EQ(sums, gemm.kernels() * gemm.loops());
    }
  }
}

}  // namespace
}  // namespace ardea::tiles
