#include "ardea/compile/peaks.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "ardea/compile/compile.h"
#include "ardea/compile/instruction_peaks.h"
#include "ardea/compile/peak_programs.h"
#include "tests/support/folder.h"

namespace ardea::compile {
namespace {

namespace fs = std::filesystem;
using runtime::Array;

/// Elements 0, 1, 2, … modulo 7, so that a wrong index shows.
Array counted(std::vector<std::int64_t> shape, DataType type) {
  Array array = Array::empty(std::move(shape), type);
  for (std::int64_t i = 0; i < array.element_count(); ++i) array.set_float(i, static_cast<double>(i % 7));
  return array;
}

TEST(PeakPrograms, multiply_the_panels) {
  for (const DataType type : {float32, float64})
    for (const bool fused : {false, true}) {
      const PeakTile tile{.rows = 5, .vectors = 2, .lanes = 4, .depth = 9};
      const std::int64_t tiles = 3, columns = 8, repeats = 2;
      const Array a = counted({tiles, tile.depth * tile.rows}, type),
                  b = counted({tiles, tile.depth * columns}, type);
      const Array c = counted({tiles, tile.rows * columns}, type);
      callable(peak_product(tile, type, tiles, fused), target::host())(a, b, c, repeats);
      for (std::int64_t t = 0; t < tiles; ++t)
        for (std::int64_t i = 0; i < tile.rows; ++i)
          for (std::int64_t j = 0; j < columns; ++j) {
            double sum = 0;
            for (std::int64_t k = 0; k < tile.depth; ++k)
              sum += a.get_float((t * tile.depth + k) * tile.rows + i) *
                     b.get_float((t * tile.depth + k) * columns + j);
            ASSERT_EQ(c.get_float((t * tile.rows + i) * columns + j), repeats * sum)
                << t << " " << i << " " << j;
          }
    }
}

TEST(PeakPrograms, use_the_instruction_that_they_measure) {
  for (const char* name : {"sapphirerapids", "neoverse-v1"}) {
    const target::Target target = target::find(name);
    const auto peaks = instruction_peaks(target, 2);
    EXPECT_EQ(peaks.size(), 3U);
    for (const InstructionPeak& peak : peaks)
      EXPECT_NE(assembly(Module{{}, {peak.program}}, target).find(peak.name), std::string::npos) << peak.name;
  }
}

TEST(PeakPrograms, do_as_many_operations_as_they_count) {
  for (const InstructionPeak& peak : instruction_peaks(target::host(), 2)) {
    std::vector<Array> arrays;
    for (std::size_t i = 0; i < 3; ++i) {
      const Buffer& buffer = peak.program.parameters[i].buffer;
      std::vector<std::int64_t> shape;
      for (const Expr& extent : buffer->shape) shape.push_back(*constant_int(extent));
      arrays.push_back(Array::empty(shape, buffer->type));
      for (std::int64_t e = 0; e < arrays[i].element_count(); ++e) arrays[i].set_float(e, 1);
    }
    const std::int64_t repeats = 3;
    callable(peak.program, target::host())(arrays[0], arrays[1], arrays[2], repeats);
    // Each sum is a number of products of ones, each of which is two operations.
    double sum = 0;
    for (std::int64_t e = 0; e < arrays[2].element_count(); ++e) sum += arrays[2].get_float(e);
    EXPECT_EQ(2 * sum, static_cast<double>(2 * repeats * peak.operations)) << peak.name;
  }
}

TEST(PeakPrograms, sum_every_element) {
  const std::int64_t tiles = 2, vectors = 5, lanes = 4;
  const Array a = counted({tiles, vectors * 8 * lanes}, float32), s = counted({tiles, 8 * lanes}, float32);
  callable(memory_sum(tiles, vectors, lanes), target::host())(a, s);
  for (std::int64_t t = 0; t < tiles; ++t)
    for (std::int64_t i = 0; i < 8 * lanes; ++i) {
      double sum = 0;
      for (std::int64_t v = 0; v < vectors; ++v) sum += a.get_float((t * vectors + v) * 8 * lanes + i);
      ASSERT_EQ(s.get_float(t * 8 * lanes + i), sum);
    }
}

class StoredPeaks : public testing::Test {
 protected:
  fs::path file() const { return folder_.path() / "deep" / "peaks.json"; }

 private:
  test::Folder folder_;
};

TEST_F(StoredPeaks, are_kept_for_each_machine) {
  target::Target one = target::find("avx2"), other = target::find("neoverse-v1");
  EXPECT_FALSE(stored_peaks(one, file()));
  store_peaks(one, {{"memory_bytes", 1e9}}, file());
  store_peaks(other, {{"memory_bytes", 2e9}}, file());
  EXPECT_EQ(stored_peaks(one, file()), (Peaks{{"memory_bytes", 1e9}}));
  EXPECT_EQ(stored_peaks(other, file()), (Peaks{{"memory_bytes", 2e9}}));
  one.cores += 1;
  EXPECT_FALSE(stored_peaks(one, file()));
}

TEST_F(StoredPeaks, a_broken_file_counts_as_none_and_is_mended) {
  const target::Target machine = target::find("avx2");
  store_peaks(machine, {{"memory_bytes", 1e9}}, file());
  for (const char* text : {"", "{", "[1]", "\xff\xfe"}) {
    std::ofstream(file()) << text;
    EXPECT_FALSE(stored_peaks(machine, file())) << text;
    store_peaks(machine, {{"memory_bytes", 3e9}}, file());
    EXPECT_EQ(stored_peaks(machine, file()), (Peaks{{"memory_bytes", 3e9}}));
  }
}

}  // namespace
}  // namespace ardea::compile
