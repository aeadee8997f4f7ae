#include <gtest/gtest.h>

#include "ardea/codegen/llvm/codegen.h"
#include "ardea/lower/pipeline.h"
#include "tests/support/sampled.h"
#include "tests/tiles/assembly.h"
#include "tests/tiles/tiled_gemm.h"

/// The loops that everything else is for: in the code of a tiled product no loop over the sum touches the
/// stack or stores anything, in the whole tile and in each of its tails.

namespace ardea::tiles {
namespace {

const std::size_t shapes = test::sampled_count(2, 30);

/// The multiply-adds of each loop: one a vector of its tile and step.
std::vector<int> expected(const Gemm& gemm, const target::Target& target) {
  const std::int64_t lanes = target.vector_bits / 32;
  const auto parts = [](std::int64_t extent, std::int64_t tile) {
    std::vector<std::int64_t> tiles;
    if (extent >= tile) tiles.push_back(tile);
    if (extent % tile != 0) tiles.push_back(extent % tile);
    return tiles;
  };
  std::vector<int> counts;
  for (const std::int64_t rows : parts(gemm.m, gemm.rows))
    for (const std::int64_t columns : parts(gemm.n, gemm.columns)) {
      const auto vectors = static_cast<int>(rows * ((columns + lanes - 1) / lanes));
      counts.push_back(vectors * static_cast<int>(gemm.steps));
      if (gemm.k % gemm.steps != 0) counts.push_back(vectors);
    }
  std::sort(counts.begin(), counts.end());
  return counts;
}

class Kernels : public ::testing::TestWithParam<const char*> {};

TEST_P(Kernels, sum_in_registers_alone) {
  const target::Target target = target::find(GetParam());
  std::size_t kernels = 0;
  for (std::uint64_t seed = 1; seed <= shapes; ++seed) {
    const Gemm gemm = random_gemm(seed, target);
    SCOPED_TRACE(describe(gemm) + ", seed " + std::to_string(seed));
    const Function lowered = lower::lower(scheduled(gemm), target);
    const Assembly code = read_assembly(codegen::assembly({&lowered, 1}, target, {}), target.arch);

    std::vector<int> multiply_adds;
    for (const AssemblyBlock& block : code.blocks) {
      if (block.multiply_adds(target.arch) == 0) continue;
      EXPECT_TRUE(block.is_loop()) << "multiply-adds outside of a loop of one block: " << block.label;
      multiply_adds.push_back(block.multiply_adds(target.arch));
      for (const std::string& instruction : block.instructions) {
        EXPECT_FALSE(touches_stack(instruction, code, target.arch)) << instruction;
        EXPECT_FALSE(is_store(instruction, target.arch)) << instruction;
      }
    }
    EXPECT_EQ(multiply_adds.size(), static_cast<std::size_t>(gemm.kernels() * gemm.loops()));
    std::sort(multiply_adds.begin(), multiply_adds.end());
    EXPECT_EQ(multiply_adds, expected(gemm, target));
    kernels += static_cast<std::size_t>(gemm.kernels());
  }
  EXPECT_GE(kernels, 3 * shapes);  // that most shapes have all four
}

INSTANTIATE_TEST_SUITE_P(Tiles, Kernels, ::testing::Values("sapphirerapids", "neoverse-v1"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace ardea::tiles
