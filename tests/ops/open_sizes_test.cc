#include <fmt/core.h>
#include <gtest/gtest.h>

#include "ardea/interp/interpreter.h"
#include "ardea/ir/print.h"
#include "ardea/measure/check.h"
#include "ardea/measure/inputs.h"
#include "ardea/ops/open_sizes.h"
#include "tests/ops/exact.h"

namespace ardea::test {
namespace {

using ops::OpenWorkload;
using ops::Workload;

OpenWorkload open(const std::string& op, const std::string& sizes) {
  return ops::open_workload({.op = op, .sizes = {}}, sizes);
}

std::string refusal(const std::string& op, const std::string& sizes) {
  return error_of([&] { open(op, sizes); });
}

TEST(OpenSizes, are_names_in_the_places_of_numbers) {
  EXPECT_TRUE(ops::has_open_sizes("m,64,32"));
  EXPECT_TRUE(ops::has_open_sizes("64,_rows2,32"));
  EXPECT_FALSE(ops::has_open_sizes("64,64,32"));
  EXPECT_FALSE(ops::has_open_sizes("64,6x4,32"));
  EXPECT_FALSE(ops::has_open_sizes("64,,32"));
}

/// The operator with a size left open is, at each of its values, the operator of that size.
TEST(OpenSizes, mean_the_operator_of_each_size) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"gemm", "rows,5,3"},
      {"gemm", "3,k,5"},
      {"gemm", "n,4,n"},
      {"softmax", "m,7"},
      {"mean", "3,n"},
      {"c2d", "n,5,6,2,3,3,3,1,1,1"},
      {"c2d", "1,h,6,2,3,3,3,2,1,1"},
      {"c2d", "1,5,6,c,3,3,3,1,1,1"},
      {"depthwise", "n,5,6,3,3,3,1,1"},
      {"global_avgpool", "1,h,5,3"},
      {"attention", "2,s,4"},
      {"transpose", "m,5"},
  };
  for (const auto& [op, sizes] : cases) {
    const OpenWorkload w = open(op, sizes);
    const Function program = ops::create_function(w);
    const std::string name =
        *std::find_if(w.names.begin(), w.names.end(), [](const std::string& each) { return !each.empty(); });
    for (const std::int64_t size : {1, 4, 7}) {
      SCOPED_TRACE(fmt::format("{} {} {}", op, sizes, size));
      const Workload closed = ops::make_workload(ops::at_sizes(w, {{name, size}}));
      const auto given = measure::make_arguments(program, {.seed = 3, .sizes = {{name, size}}});
      const measure::Expectation expected(ops::create_function(closed), given,
                                          measure::Reference::interpreter);
      const auto after = measure::copy_arguments(given);
      interp::run(program, after);
      EXPECT_TRUE(expected.compare(after).agrees()) << print(program);
    }
  }
}

TEST(OpenSizes, are_refused_where_no_call_would_tell_them) {
  EXPECT_EQ(refusal("scan", "3,n,5"),
            "scan: n cannot be open: it is a dimension of no input, so that no call would tell it; give a "
            "number");
  EXPECT_NE(refusal("c2d", "1,9,9,3,5,3,3,s,1,1").find("s cannot be open: it is a dimension of no input"),
            std::string::npos);
  EXPECT_NE(refusal("grouped", "1,9,9,c,6,3,3,1,1,1,2").find("is not the size itself"), std::string::npos);
}

TEST(OpenSizes, are_refused_where_the_program_needs_the_number) {
  EXPECT_NE(refusal("t2d", "1,h,6,3,4,3,3,2,1,1").find("must be numbers"), std::string::npos);
  // The number of columns is a size of the input here, and the operator asks for it as a number.
  EXPECT_NE(refusal("scan", "3,k,k").find("the operator's program is another one for each number"),
            std::string::npos);
}

TEST(OpenSizes, say_what_stands_for_them_and_what_is_no_size) {
  EXPECT_NE(refusal("c2d", "1,9,9,3,5,k,3,1,1,1").find("k is open, 840 stands for it here: give a number"),
            std::string::npos);
  EXPECT_EQ(refusal("gemm", "m,64"), "gemm: 2 sizes are given, but it takes 3: m,k,n");
  EXPECT_EQ(refusal("gemm", "m,64,3,4"), "gemm: 4 sizes are given, but it takes 3: m,k,n");
  EXPECT_NE(refusal("gemm", "m,6x,3").find("\"6x\" is no whole number"), std::string::npos);
  EXPECT_EQ(refusal("gemm", "m,0,3"), "gemm: k is 0, must be at least 1");
}

}  // namespace
}  // namespace ardea::test
