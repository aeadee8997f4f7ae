#include "ardea/measure/array_places.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>

#include "ardea/ir/parse.h"
#include "ardea/measure/inputs.h"

namespace ardea::measure {

namespace {

/// Rows of B lie further apart than they are long; B promises a multiple to begin on.
Function two_results(int align) {
  return parse_function(fmt::format(R"(
@T.prim_func
def main(A: T.Buffer((5, 7), "float32"), B: T.Buffer((5, 7), "float32", strides=[9, 1], align={}), C: T.Buffer((5,), "float64")):
    for i in range(5):
        C[i] = T.float64(0)
        for j in range(7):
            B[i, j] = A[i, j]
)",
                                    align));
}

std::uintptr_t address(const interp::Argument& argument) {
  return reinterpret_cast<std::uintptr_t>(std::get<runtime::Array>(argument).data());
}

class ArrayPlaces : public testing::TestWithParam<int> {};

TEST_P(ArrayPlaces, differ_modulo_pages_and_keep_all_else) {
  const Function f = two_results(GetParam());
  const std::vector<interp::Argument> given = make_arguments(f, {.seed = 3});
  const auto places = in_several_places(f, given, {1, 2});
  ASSERT_EQ(places.size(), array_places);
  std::set<std::uintptr_t> of_b, of_c;
  for (const auto& place : places) {
    EXPECT_EQ(address(place[0]), address(given[0])) << "what is read stays";
    EXPECT_EQ(address(place[1]) % static_cast<std::uintptr_t>(std::max(64, GetParam())), 0U);
    EXPECT_EQ(address(place[2]) % 64, 0U);
    of_b.insert(address(place[1]) % 4096);
    of_c.insert(address(place[2]) % 4096);
    EXPECT_EQ(std::get<runtime::Array>(place[1]).strides(), (std::vector<std::int64_t>{9, 1}));
    // All of it can be written: a sanitizer sees where it ends.
    for (const std::size_t i : {1, 2}) {
      const auto& array = std::get<runtime::Array>(place[i]);
      array.copy_from(std::get<runtime::Array>(given[i]));
      for (std::int64_t e = 0; e < array.element_count(); ++e)
        EXPECT_EQ(array.get_bits(e), std::get<runtime::Array>(given[i]).get_bits(e));
    }
  }
  EXPECT_EQ(of_b.size(), GetParam() >= 4096 ? 1U : array_places);
  EXPECT_EQ(of_c.size(), array_places);
}

INSTANTIATE_TEST_SUITE_P(Promises, ArrayPlaces, testing::Values(4, 64, 512, 4096));

TEST(PlacesOfArrays, hold_at_first_what_was_given) {
  const Function f = two_results(4);
  const std::vector<interp::Argument> given = make_arguments(f, {.seed = 3});
  const auto places = in_several_places(f, given, {1, 2});
  const auto &got = std::get<runtime::Array>(places[0][1]), &expected = std::get<runtime::Array>(given[1]);
  EXPECT_NE(got, expected) << "memory of its own";
  for (std::int64_t e = 0; e < expected.element_count(); ++e)
    EXPECT_EQ(got.get_bits(e), expected.get_bits(e));
}

}  // namespace

}  // namespace ardea::measure
