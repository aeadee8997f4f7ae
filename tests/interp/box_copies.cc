#include "tests/interp/programs.h"

#include "ardea/support/random.h"

/// Copies of boxes of an array, beside loops of this test.

namespace ardea::interp {
namespace {

struct Box {
  std::int64_t outer = 0, row = 0, column = 0, outers = 1, rows = 4, columns = 8, box_rows = 2,
               box_columns = 4;
  bool is_swizzled = false;
  std::int64_t first_element = 0;  ///< of shared memory, where it goes
};

/// A box of A to shared memory, which held sevens, and all of that to B.
Function copying(const Box& b, const std::string& after = "    T.async_commit()\n    T.async_wait(0)\n") {
  const std::int64_t elements = b.first_element + b.box_rows * b.box_columns;
  return program(fmt::format(
      R"(def main(A: T.Buffer(({0},), "float16"), B: T.Buffer(({1},), "float16")):
    S = T.allocate([{1}], "float16", "shared")
    S_1 = T.Buffer(({1},), "float16", data=S, scope="shared")
    for i in range({1}):
        S_1[i] = T.float16(7)
    T.async_copy_box(T.address_of(S_1[{2}]), T.address_of(A[0]), {3}, {4}, {5}, {6}, {7}, {8}, {9}, {10}, {11})
{12}    for i in range({1}):
        B[i] = S_1[i]
)",
      b.outers * b.rows * b.columns, elements, b.first_element, b.outer, b.row, b.column, b.outers, b.rows,
      b.columns, b.box_rows, b.box_columns, b.is_swizzled ? 1 : 0, after));
}

runtime::Array numbered(const Box& b) {
  const runtime::Array a = zeros(float16, {b.outers * b.rows * b.columns});
  for (std::int64_t i = 0; i < a.element_count(); ++i) a.set_float(i, static_cast<double>(1 + i));
  return a;
}

std::vector<double> copied(const Box& b) {
  const runtime::Array to = zeros(float16, {b.first_element + b.box_rows * b.box_columns});
  run(copying(b), {numbered(b), to});
  return elements(to);
}

/// What the unit does, element by element: a row's 16-byte units change places by the number of the row.
std::vector<double> expected(const Box& b) {
  std::vector<double> all(static_cast<std::size_t>(b.first_element + b.box_rows * b.box_columns), 7);
  for (std::int64_t i = 0; i < b.box_rows; ++i)
    for (std::int64_t j = 0; j < b.box_columns; ++j) {
      const std::int64_t o = b.outer, r = b.row + i, c = b.column + j;
      const bool is_inside = o >= 0 && o < b.outers && r >= 0 && r < b.rows && c >= 0 && c < b.columns;
      const std::int64_t place = b.is_swizzled ? ((j / 8) ^ (i % 8)) * 8 + j % 8 : j;
      all[static_cast<std::size_t>(b.first_element + i * b.box_columns + place)] =
          is_inside ? static_cast<double>(1 + (o * b.rows + r) * b.columns + c) : 0;
    }
  return all;
}

std::string sentence_of(const Box& b, const std::string& after) {
  const runtime::Array to = zeros(float16, {b.first_element + b.box_rows * b.box_columns});
  return error_of([&] { run(copying(b, after), {numbered(b), to}); });
}

TEST(BoxCopies, bring_rows_of_a_part) {
  EXPECT_EQ(copied({.row = 1, .column = 2}), (std::vector<double>{11, 12, 13, 14, 19, 20, 21, 22}));
}

TEST(BoxCopies, bring_zeros_from_outside_of_the_array) {
  EXPECT_EQ(copied({.row = 3, .column = 6}), (std::vector<double>{31, 32, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(copied({.row = -1, .column = -3}), (std::vector<double>{0, 0, 0, 0, 0, 0, 0, 1}));
  EXPECT_EQ(copied({.outer = 1}), std::vector<double>(8, 0));
  EXPECT_EQ(copied({.row = -2}), std::vector<double>(8, 0));
  EXPECT_EQ(copied({.column = 900}), std::vector<double>(8, 0));
}

TEST(BoxCopies, bring_what_loops_would) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    Box b{.outers = random.integer(1, 3), .rows = random.integer(1, 11), .columns = random.integer(1, 70)};
    b.is_swizzled = random.integer(0, 1) == 1;
    b.box_rows = random.integer(1, 17);
    b.box_columns = b.is_swizzled ? 64 : random.integer(1, 33);
    b.outer = random.integer(-1, b.outers);
    b.row = random.integer(-b.box_rows - 1, b.rows + 1);
    b.column = random.integer(-b.box_columns - 1, b.columns + 1);
    b.first_element = random.integer(0, 5);
    EXPECT_EQ(copied(b), expected(b)) << "seed " << seed;
  }
}

TEST(BoxCopies, land_at_the_wait) {
  EXPECT_TRUE(says(sentence_of({}, ""), "reads S_1[0] while the copy `T.async_copy_box("));
  EXPECT_TRUE(says(sentence_of({}, "    T.async_commit()\n"), "still in flight"));
  EXPECT_TRUE(says(sentence_of({.row = 2}, "    A[17] = T.float16(1)\n"), "writes A[17] while the copy"));
  EXPECT_EQ(sentence_of({.row = 2}, "    A[15] = T.float16(1)\n    T.async_commit()\n    T.async_wait(0)\n"),
            "");
}

TEST(BoxCopies, stay_in_their_memory) {
  const auto sentence = [](const char* to, const char* numbers) {
    const Function f =
        program(fmt::format(R"(def main(A: T.Buffer((32,), "float16"), B: T.Buffer((8,), "float16")):
    T.async_copy_box(T.address_of(B[{}]), T.address_of(A[0]), 0, 0, 0, {})
    T.async_commit()
    T.async_wait(0)
)",
                            to, numbers));
    return error_of([&] { run(f, {zeros(float16, {32}), zeros(float16, {8})}); });
  };
  EXPECT_EQ(sentence("0", "1, 4, 8, 2, 4, 0"), "");
  EXPECT_TRUE(says(sentence("1", "1, 4, 8, 2, 4, 0"), "2 x 4 elements of B, and the array of 1 x 4 x 8"));
  EXPECT_TRUE(says(sentence("0", "1, 5, 8, 2, 4, 0"), "must lie in their memory"));
  EXPECT_TRUE(
      says(sentence("0", "1, 4, 8, 2, 4, 1"), "rows that lie swizzled take 128 bytes, 4 elements take 8"));
  EXPECT_TRUE(says(sentence("0", "1, 4, 8, 0, 4, 0"), "numbers for all extents"));
}

}  // namespace
}  // namespace ardea::interp
