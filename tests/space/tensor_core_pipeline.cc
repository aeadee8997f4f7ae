#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "ardea/space/evaluate.h"
#include "ardea/space/json.h"
#include "ardea/space/parse.h"
#include "ardea/space/print.h"
#include "ardea/space/solver.h"
#include "ardea/support/ceil_div.h"
#include "tests/space/tensor_core_gemm.h"

/// The system of a pipelined product on tensor cores, with the limits of recorded machines.

namespace ardea::space {
namespace {

using testing::tensor_core_pipeline;

struct Product {
  std::int64_t m, n, k;
};

/// The same, written once more as loops: no solver, no language.
std::int64_t counted(const target::Gpu& gpu, const Product& size) {
  std::int64_t count = 0;
  const bool copies = !gpu.copy_engines.empty();
  const auto each = [](std::int64_t most, const auto& then) {
    for (std::int64_t i = 1; i <= most; ++i) then(i);
  };
  constexpr std::array fragments = {std::pair(16, 16), std::pair(32, 8), std::pair(8, 32)};
  constexpr std::array paddings = {0, 8, 16, 0};
  constexpr std::array meeting = {8, 1, 2, 1, 4, 1, 2, 1};  // rows in a bank, by their distance in pieces
  for (const auto& [fm, fn] : fragments)
    each(16, [&, fm = fm, fn = fn](std::int64_t m_warp) {
      each(16, [&](std::int64_t m_tile) {
        if (size.m % (m_warp * m_tile * fm) != 0) return;
        each(16, [&](std::int64_t n_warp) {
          each(16, [&](std::int64_t n_tile) {
            if (size.n % (n_warp * n_tile * fn) != 0) return;
            const std::int64_t warps = m_warp * n_warp, threads = gpu.warp_threads * warps;
            const std::int64_t rows_a = m_warp * m_tile * fm, rows_b = n_warp * n_tile * fn;
            if (threads > gpu.threads_per_block) return;
            for (const std::int64_t k_split : {1, 2, 4, 8})
              each(8, [&](std::int64_t k_inner) {
                if (size.k % (k_split * k_inner * 16) != 0) return;
                const std::int64_t depth = 16 * k_inner, k_outer = size.k / (k_split * depth);
                if (rows_a * depth % (8 * threads) != 0 || rows_b * depth % (8 * threads) != 0) return;
                for (std::size_t layout = 0; layout < 4; ++layout) {
                  const std::int64_t row = depth + paddings[layout];
                  const int ways = layout == 3 ? 1 : meeting[static_cast<std::size_t>(row / 8 % 8)];
                  if (ways > 2 || (layout == 3 && depth % 64 != 0)) continue;
                  each(std::min<std::int64_t>({6, k_outer, copies ? 6 : 2}), [&](std::int64_t stages) {
                    const std::int64_t stage = 2 * (rows_a + rows_b) * row;
                    const std::int64_t shared =
                        std::max(stages * stage, k_split > 1 ? 4 * rows_a * rows_b : 0);
                    const std::int64_t elements =
                        2 * m_tile * fm * n_tile * fn + 16 * (m_tile * fm + n_tile * fn);
                    const std::int64_t registers =
                        ardea::ceil_div(elements, std::int64_t{2} * gpu.warp_threads) + 40 +
                        (!copies && stages > 1 ? ardea::ceil_div(stage, 4 * threads) : 0);
                    const std::int64_t granule = gpu.register_granule,
                                       taken = warps * granule *
                                               ardea::ceil_div(registers * gpu.warp_threads, granule);
                    if (shared > gpu.shared_bytes_per_block || registers > gpu.registers_per_thread ||
                        taken > gpu.registers_per_block)
                      return;
                    const std::int64_t resident = std::min<std::int64_t>(
                        {gpu.blocks_per_core, gpu.threads_per_core / threads, gpu.registers_per_core / taken,
                         gpu.shared_bytes_per_core / (shared + gpu.shared_bytes_reserved_per_block)});
                    count += resident * warps >= 4 ? 1 : 0;
                  });
                }
              });
          });
        });
      });
    });
  return count;
}

TEST(TensorCorePipeline, has_the_solutions_that_are_counted_by_hand) {
  for (const char* name : {"v100", "t4", "a100", "h100", "h200"})
    for (const Product& size : {Product{1024, 1024, 1024}, Product{96, 160, 4608}}) {
      const target::Target target = target::find(name);
      const Solver solver(tensor_core_pipeline(target, size.m, size.n, size.k));
      const std::int64_t expected = counted(*target.gpu, size);
      EXPECT_GT(expected, 100) << name;
      const Count count = solver.count();
      ASSERT_TRUE(count.exact) << solver.why();
      EXPECT_EQ(static_cast<std::int64_t>(*count.exact), expected) << name << ": " << solver.why();
    }
}

TEST(TensorCorePipeline, grows_with_what_a_machine_has) {
  const auto points = [](const char* name) {
    return *Solver(tensor_core_pipeline(target::find(name), 1024, 1024, 1024)).count().exact;
  };
  const auto t4 = points("t4"), v100 = points("v100"), a100 = points("a100"), h100 = points("h100");
  EXPECT_LT(t4, v100);
  EXPECT_LT(v100, a100);
  EXPECT_LT(a100, h100);
  EXPECT_EQ(h100, points("h200"));
}

double points_without(const System& system, const std::vector<std::string>& names) {
  std::string text = print(system);
  for (const std::string& name : names) {
    const std::size_t begin = text.find("require " + name + ":");
    EXPECT_NE(begin, std::string::npos) << name;
    text.erase(begin, text.find('\n', begin) - begin);
  }
  return Solver(parse(text, "without")).count().value;
}

/// Every constraint excludes something on some machine. That a core holds a block at all, `occupancy`,
/// implies some of the block's own limits: these exclude something without it.
TEST(TensorCorePipeline, has_no_constraint_that_says_nothing) {
  std::set<std::string> binding, all;
  for (const auto& [name, size] :
       {std::pair("t4", Product{256, 512, 256}), std::pair("h100", Product{288, 288, 192})}) {
    const System system = tensor_core_pipeline(target::find(name), size.m, size.n, size.k);
    const double whole = points_without(system, {}), alone = points_without(system, {"occupancy"});
    EXPECT_GT(alone, whole) << name;
    for (std::size_t i = 0; i < system.constraints().size(); ++i) {
      const std::string& left_out = system.constraints()[i].name;
      // Without a split numbers have nothing to do with the size.
      if (system.is_definition(static_cast<int>(i)) || left_out.starts_with("split_") ||
          left_out == "occupancy")
        continue;
      all.insert(left_out);
      if (binding.contains(left_out)) continue;
      if (points_without(system, {left_out}) > whole ||
          points_without(system, {"occupancy", left_out}) > alone)
        binding.insert(left_out);
    }
  }
  EXPECT_EQ(binding, all);
  EXPECT_EQ(all.size(), 10U);
}

TEST(TensorCorePipeline, survives_text_and_json) {
  const System system = tensor_core_pipeline(target::find("a100"), 1024, 1024, 1024);
  EXPECT_EQ(print(parse(print(system), "again")), print(system));
  EXPECT_EQ(print(from_json(to_json(system))), print(system));
}

}  // namespace
}  // namespace ardea::space
