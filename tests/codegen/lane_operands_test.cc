#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ardea/codegen/llvm/codegen.h"
#include "tests/codegen/lowered.h"

/// Numbers that lie side by side and are broadcast, as the left operand of a tile of sums is: loaded as a
/// vector where instructions multiply by a lane, and only where nothing changes them in between.

namespace ardea::test {
namespace {

constexpr std::int64_t steps = 7, lanes = 4;

Expr row_at(const Expr& first) { return make_ramp(first, make_int(1), lanes); }

/// out[r, :] += a[s, r] * b[s, :] for the rows and all steps, where a has `width` numbers a step. With
/// `written`, what the first row has become is a[s, which[s]], before the others read theirs.
struct Tile {
  std::int64_t rows = 4, width = 4;
  bool written = false;
};

Function tile_of(const Tile& tile) {
  const Buffer a = flat("a", steps * tile.width, float32), b = flat("b", steps * lanes, float32),
               out = flat("out", tile.rows * lanes, float32), which = flat("which", steps, int64);
  const Stmt body = loop(steps, [&](const Var& s) {
    std::vector<Stmt> updates;
    for (std::int64_t r = 0; r < tile.rows; ++r) {
      const Expr at = row_at(make_int(r * lanes));
      const Expr left = make_broadcast(make_load(a, {s * tile.width + r}), lanes);
      updates.push_back(
          make_store(out, {at}, make_load(out, {at}) + left * make_load(b, {row_at(s * lanes)})));
      if (tile.written && r == 0)
        updates.push_back(
            make_store(a, {s * tile.width + make_load(which, {s})}, make_load(out, {make_int(0)})));
    }
    return make_seq(updates);
  });
  return entry("tile", {a, b, which, out}, body, {{"tir.noalias", Attribute{make_bool(true)}}});
}

/// Loads of one number that are left in the code, and those of vectors that lanes are taken of.
struct Loaded {
  int numbers = 0, operands = 0;
};

Loaded loads_of(const Tile& tile, const char* target) {
  const std::string text = codegen::llvm_ir(std::vector{tile_of(tile)}, target::find(target), {});
  const auto count = [&](const std::string& what) {
    int found = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
    return found;
  };
  return {count("= load float,"), count("%operands")};
}

TEST(LaneOperands, are_loaded_as_whole_vectors) {
  const Loaded whole = loads_of({}, "neoverse-v1");
  EXPECT_EQ(whole.numbers, 0);
  EXPECT_GT(whole.operands, 0);
  const Loaded rest = loads_of({.rows = 6, .width = 6}, "neoverse-v1");  // two are no vector
  EXPECT_GT(rest.numbers, 0);
  EXPECT_GT(rest.operands, 0);
}

/// A number of the vector that nobody asks for may lie behind the end of its array.
TEST(LaneOperands, are_read_where_all_of_them_are_asked_for) {
  EXPECT_EQ(loads_of({.rows = 3, .width = 4}, "neoverse-v1").operands, 0);
}

TEST(LaneOperands, stay_numbers_where_loads_broadcast) { EXPECT_EQ(loads_of({}, "avx2").operands, 0); }

TEST(LaneOperands, are_read_after_what_writes_them) {
  // The next step's numbers lie elsewhere.
  EXPECT_EQ(loads_of({.rows = 4, .width = 9, .written = true}, "neoverse-v1").operands, 0);
}

/// The sums, against plain loops: whatever this machine makes of them.
TEST(LaneOperands, give_the_same_sums) {
  for (const Tile& tile : {Tile{}, Tile{.rows = 6, .width = 6}, Tile{.rows = 8, .width = 9},
                           Tile{.rows = 3, .width = 4}, Tile{.written = true}}) {
    std::vector<double> left, right, sums(static_cast<std::size_t>(tile.rows * lanes), 1.0);
    const std::vector<std::int64_t> which = {2, 1, 3, 0, 3, 2, 1};
    for (std::int64_t i = 0; i < steps * tile.width; ++i) left.push_back(static_cast<double>(i % 5) - 2);
    for (std::int64_t i = 0; i < steps * lanes; ++i) right.push_back(static_cast<double>(i % 3) - 1);
    const runtime::Array a = floats(left, float32), b = floats(right, float32), out = floats(sums, float32);
    compile(tile_of(tile))(a, b, integers(which, int64), out);
    for (std::int64_t s = 0; s < steps; ++s)
      for (std::int64_t r = 0; r < tile.rows; ++r) {
        for (std::int64_t j = 0; j < lanes; ++j)
          sums[static_cast<std::size_t>(r * lanes + j)] +=
              left[static_cast<std::size_t>(s * tile.width + r)] *
              right[static_cast<std::size_t>(s * lanes + j)];
        if (tile.written && r == 0)
          left[static_cast<std::size_t>(s * tile.width + which[static_cast<std::size_t>(s)])] = sums[0];
      }
    for (std::int64_t i = 0; i < tile.rows * lanes; ++i)
      EXPECT_EQ(static_cast<const float*>(out.data())[i],
                static_cast<float>(sums[static_cast<std::size_t>(i)]))
          << tile.rows << " rows of " << tile.width << ", element " << i;
  }
}

/// A limit is one instruction where the machine has one, and NaN goes through it.
TEST(Limits, keep_nan_and_take_one_instruction) {
  const Buffer a = flat("a", 8, float32), out = flat("out", 8, float32);
  const Expr at = make_ramp(make_int(0), make_int(1), 8);
  const auto number = [](double value) { return make_const(value, float32.with_lanes(8)); };
  const Expr x = make_load(a, {at});
  const Expr below = make_select(x > number(3), number(3), x);
  const Function f = entry("limit", {a, out}, make_store(out, {at}, below));
  const std::string text = codegen::assembly(std::vector{f}, target::find("neoverse-v1"), {});
  EXPECT_NE(text.find("fmin\t"), std::string::npos);
  EXPECT_EQ(text.find("fcmgt"), std::string::npos);
  const double nan = std::numeric_limits<double>::quiet_NaN(), most = std::numeric_limits<double>::infinity();
  const std::vector<double> given = {nan, most, -most, 3, 2.5, -0.0, 0, 4};
  const runtime::Array from = floats(given, float32), to = floats(std::vector<double>(8, 1.0), float32);
  compile(f)(from, to);
  const auto* got = static_cast<const float*>(to.data());
  EXPECT_TRUE(std::isnan(got[0]));
  const std::vector<float> wanted = {3, -std::numeric_limits<float>::infinity(), 3, 2.5F, -0.0F, 0, 3};
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_EQ(got[i + 1], wanted[i]);
    EXPECT_EQ(std::signbit(got[i + 1]), std::signbit(wanted[i]));
  }
}

}  // namespace
}  // namespace ardea::test
