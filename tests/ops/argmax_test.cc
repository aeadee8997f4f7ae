#include <gtest/gtest.h>

#include <limits>

#include "ardea/ops/reduce.h"
#include "ardea/te/compute.h"
#include "ardea/te/math.h"
#include "tests/ops/exact.h"

namespace ardea::test {
namespace {

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

/// The positions as float32, which `computed` gives.
te::Tensor positions(const te::Tensor& x, std::int64_t axis) {
  const te::Tensor found = ops::argmax(x, {.axes = {axis}});
  return te::compute("out", {te::Dim("i", found.shape()[0])},
                     [&](const std::vector<Var>& at) { return te::cast(float32, found(at[0])); });
}

TEST(Argmax, takes_the_first_of_equal_values_and_of_NaNs) {
  const Numbers rows = {{7, 5}, {3,    1,    3,    2,    3,     //
                                 -inf, 2,    2,    -1,   2,     //
                                 1,    nan,  9,    nan,  inf,   //
                                 -0.F, 0,    -0.F, 0,    -1,    //
                                 -inf, -inf, -inf, -inf, -inf,  //
                                 1,    2,    3,    4,    nan,   //
                                 -5,   -4,   -3,   -2,   -1}};
  const te::Tensor x = te::placeholder("x", {7, 5});
  EXPECT_EQ(computed({x}, positions(x, -1), {rows}, {7}).values, (std::vector<float>{0, 1, 1, 0, 0, 4, 4}));
}

/// Long rows are searched part by part: 0, 64 and 128, and the last 64 elements, from 136 on.
TEST(Argmax, takes_the_first_of_long_rows_that_no_part_divides) {
  const std::int64_t n = 200;
  struct Row {
    float others;
    std::vector<std::pair<int, float>> elements;
    float first;
  };
  const std::vector<Row> rows = {
      {0, {{0, 1}}, 0},
      {0, {{199, 1}}, 199},                          // in the last part alone
      {0, {{192, 2}, {199, 2}}, 192},                // the first that only the last part has
      {0, {{191, 2}, {192, 2}}, 191},                // the last of the part before, in both
      {0, {{130, 2}, {136, 2}}, 130},                //
      {0, {{63, 3}, {64, 3}, {199, 3}}, 63},         //
      {-2, {{64, -1}, {127, -1}}, 64},               //
      {-1, {{70, -0.F}, {150, 0}}, 70},              // equal
      {1, {{3, inf}, {129, nan}, {199, nan}}, 129},  // NaN is greater
      {-inf, {}, 0},                                 //
      {nan, {}, 0},                                  //
      {-inf, {{160, std::numeric_limits<float>::lowest()}}, 160},
  };
  const auto m = static_cast<std::int64_t>(rows.size());
  Numbers numbers = {{m, n}, {}};
  std::vector<float> expected;
  for (const Row& row : rows) {
    std::vector<float> values(n, row.others);
    for (const auto& [at, value] : row.elements) values[at] = value;
    numbers.values.insert(numbers.values.end(), values.begin(), values.end());
    expected.push_back(row.first);
  }
  const te::Tensor x = te::placeholder("x", {m, n});
  EXPECT_EQ(computed({x}, positions(x, -1), {numbers}, {m}).values, expected);
}

TEST(Argmax, goes_along_any_one_axis) {
  const te::Tensor x = te::placeholder("x", {4, 3});
  const Numbers columns = {{4, 3},
                           {1, 5, 0,  //
                            7, 5, 0,  //
                            7, 2, 1,  //
                            0, 5, 2}};
  EXPECT_EQ(computed({x}, positions(x, 0), {columns}, {3}).values, (std::vector<float>{1, 0, 3}));
  EXPECT_EQ(error_of([&] { ops::argmax(x); }),
            "argmax: it goes along 2 axes of x, but a position is a number along one; name one axis");
}

TEST(Argmax, gives_positions_that_its_type_holds) {
  const te::Tensor x = te::placeholder("x", {2, std::int64_t{1} << 32});
  EXPECT_EQ(error_of([&] { ops::argmax(x, {.axes = {1}}); }),
            "argmax: 4294967296 elements of x are more than int32 counts; choose int64");
  EXPECT_EQ(ops::argmax(x, {.axes = {1}, .types = {no_type, int64}}).type(), int64);
  EXPECT_EQ(error_of([&] { ops::argmax(x, {.axes = {0}, .types = {no_type, float32}}); }),
            "argmax: values computed in float32 cannot be stored as float32; choose int32 or int64");
}

}  // namespace
}  // namespace ardea::test
