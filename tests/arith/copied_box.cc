#include "ardea/arith/copied_box.h"

#include <gtest/gtest.h>

#include <fmt/core.h>

#include "ardea/ir/intrinsics.h"
#include "ardea/ir/print.h"
#include "ardea/support/random.h"
#include "evaluate.h"

namespace ardea::arith {
namespace {

Buffer array_of(const std::vector<std::int64_t>& shape) { return make_buffer("A", shape, float16); }

struct Copy {
  Var row = Var("i"), column = Var("j"), begin = Var("b");
  Analyzer facts;

  Copy(std::int64_t rows, std::int64_t columns, std::int64_t begins) {
    facts.bind(row, {make_int(0), make_int(rows)});
    facts.bind(column, {make_int(0), make_int(columns)});
    facts.bind(begin, {make_int(0), make_int(begins)});
  }
  std::optional<BoxCopy> of(const Buffer& array, const std::vector<Expr>& indices,
                            const Expr& condition = {}) const {
    return copied_box(array, indices, condition, row, column, facts);
  }
};

std::string text_of(const std::optional<BoxCopy>& box) {
  if (!box) return "none";
  return fmt::format("{}, {}, {} of {} x {} x {}", print(box->outer), print(box->row), print(box->column),
                     box->outers, box->rows, box->columns);
}

TEST(CopiedBox, is_where_rows_and_columns_begin) {
  const Copy c(8, 16, 5);
  EXPECT_EQ(text_of(c.of(array_of({40, 80}), {c.begin * 8 + c.row, c.begin * 16 + c.column})),
            "0, b * 8, b * 16 of 1 x 40 x 80");
  EXPECT_EQ(text_of(c.of(array_of({5, 8, 16}), {c.begin, c.row, c.column})), "b, 0, 0 of 5 x 8 x 16");
  EXPECT_EQ(text_of(c.of(array_of({2, 3, 8, 16}), {make_int(1), make_int(2), c.row, c.column})),
            "5, 0, 0 of 6 x 8 x 16");
}

TEST(CopiedBox, of_rows_that_go_on_in_the_next_of_an_outer_dimension) {
  const Copy c(8, 16, 6);
  const Expr all = c.begin * 8 + c.row;  // pixels of images of 4 x 3
  EXPECT_EQ(text_of(c.of(array_of({4, 4, 3, 16}),
                         {floor_div(all, make_int(12)), floor_mod(floor_div(all, make_int(3)), make_int(4)),
                          floor_mod(all, make_int(3)), c.column})),
            "0, b * 8, 0 of 1 x 48 x 16");
}

TEST(CopiedBox, may_reach_beyond_the_array_where_zeros_are_meant) {
  const Copy c(8, 16, 6);
  const Expr m = c.begin * 8 + c.row, k = c.begin * 16 + c.column;
  const Buffer array = array_of({43, 83});
  EXPECT_EQ(text_of(c.of(array, {m, k}, logical_and(m < 43, k < 83))), "0, b * 8, b * 16 of 1 x 43 x 83");
  EXPECT_EQ(text_of(c.of(array, {m - 3, k}, logical_and(m >= 3, m < 46))),
            "0, b * 8 - 3, b * 16 of 1 x 43 x 83");
  // Zeros are meant where the array has elements.
  EXPECT_EQ(text_of(c.of(array, {m, k}, logical_and(m < 42, k < 83))), "none");
  EXPECT_EQ(text_of(c.of(array, {m, k}, k < 82)), "none");
  EXPECT_EQ(text_of(c.of(array, {m, k}, m >= 1)), "none");
}

TEST(CopiedBox, is_none_where_elements_are_none) {
  const Copy c(8, 16, 5);
  const Buffer array = array_of({80, 80});
  EXPECT_EQ(text_of(c.of(array, {c.row * 2, c.column})), "none");
  EXPECT_EQ(text_of(c.of(array, {c.row, c.column * 2})), "none");
  EXPECT_EQ(text_of(c.of(array, {c.column, c.row})), "none");
  EXPECT_EQ(text_of(c.of(array, {c.row + c.column, c.column})), "none");
  EXPECT_EQ(text_of(c.of(array, {floor_mod(c.row + 5, make_int(8)), c.column})), "none");
  EXPECT_EQ(text_of(c.of(array_of({80}), {c.row})), "none");
  EXPECT_EQ(
      text_of(c.of(make_buffer("A", std::vector<Expr>{Var("n"), make_int(80)}, float16), {c.row, c.column})),
      "none");
}

// Each element by the box is the one of the indices, and zeros are where the condition says so: for all
// values of the variables.
TEST(CopiedBox, has_the_elements_of_the_indices) {
  int boxes = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    Random random(seed);
    const std::int64_t rows = random.integer(1, 5), columns = random.integer(1, 5),
                       begins = random.integer(1, 4);
    const Copy c(rows, columns, begins);
    std::vector<std::int64_t> shape;
    for (std::int64_t rank = random.integer(2, 4), d = 0; d < rank; ++d)
      shape.push_back(random.integer(1, 7));
    const std::vector<Expr> terms = {c.row, c.column, c.begin};
    const auto index = [&](const Expr& likely, std::int64_t step) {
      Expr sum = make_int(random.integer(-2, 2));
      if (random.integer(0, 9) != 0) sum = sum + likely;
      if (random.integer(0, 1) == 0) sum = sum + c.begin * step;
      if (random.integer(0, 7) == 0) sum = sum + terms[static_cast<std::size_t>(random.integer(0, 2))];
      return sum;
    };
    std::vector<Expr> indices;
    const bool is_fused = random.integer(0, 2) == 0;
    const std::size_t rank = shape.size();
    const Expr fused = index(c.row, rows);
    for (std::size_t d = 0; d < rank; ++d) {
      if (d + 1 == rank)
        indices.push_back(index(c.column, columns));
      else if (is_fused) {
        std::int64_t below = 1;
        for (std::size_t e = d + 1; e + 1 < rank; ++e) below *= shape[e];
        const Expr part = floor_div(fused, make_int(below));
        indices.push_back(d == 0 ? part : floor_mod(part, make_int(shape[d])));
      } else
        indices.push_back(d + 2 == rank ? index(c.row, rows) : c.begin + random.integer(-1, 1));
    }
    Expr condition;
    if (random.integer(0, 2) != 0)
      for (std::size_t d = 0; d < rank; ++d) {
        const Expr& of = is_fused && d + 1 < rank ? fused : indices[d];
        std::int64_t extent = shape[d];
        if (is_fused && d + 1 < rank) {
          extent = 1;
          for (std::size_t e = 0; e + 1 < rank; ++e) extent *= shape[e];
        }
        const Expr inside =
            logical_and(of >= make_int(0), of < make_int(extent - (random.integer(0, 9) == 0 ? 1 : 0)));
        condition = condition.defined() ? logical_and(condition, inside) : inside;
      }
    const auto box = c.of(array_of(shape), indices, condition);
    if (!box) continue;
    ++boxes;
    for (std::int64_t b = 0; b < begins; ++b)
      for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t j = 0; j < columns; ++j) {
          const auto value = [&](const Expr& e) {
            return arith_tests::evaluate(e, {{c.row, i}, {c.column, j}, {c.begin, b}});
          };
          const std::int64_t o = value(box->outer), r = value(box->row) + i, l = value(box->column) + j;
          const bool is_brought =
              o >= 0 && o < box->outers && r >= 0 && r < box->rows && l >= 0 && l < box->columns;
          const bool is_meant = !condition.defined() || value(condition) != 0;
          bool is_element = true;
          std::int64_t at = 0;
          for (std::size_t d = 0; d < rank; ++d) {
            const std::int64_t x = value(indices[d]);
            is_element = is_element && x >= 0 && x < shape[d];
            at = at * shape[d] + x;
          }
          // What is read outside of the array without a condition has no meaning.
          if (is_meant && !is_element) continue;
          EXPECT_EQ(is_brought, is_meant) << "seed " << seed;
          if (is_brought && is_meant) {
            EXPECT_EQ((o * box->rows + r) * box->columns + l, at) << "seed " << seed;
          }
        }
  }
  EXPECT_GT(boxes, 40);
}

}  // namespace
}  // namespace ardea::arith
