#include <gtest/gtest.h>

#include <filesystem>

#include "ardea/arith/load.h"
#include "ardea/measure/check.h"
#include "ardea/measure/inputs.h"
#include "ardea/support/error.h"
#include "ardea/support/temporary_folder.h"

namespace ardea::measure {
namespace {

TEST(StoredExpectation, judges_as_the_one_that_was_saved) {
  const Function f = arith::load_program(R"(
@T.prim_func
def main(A: T.Buffer((8, 8), "float32"), C: T.Buffer((8,), "float32"), N: T.Buffer((8,), "int32")):
    for i, k in T.grid(8, 8):
        with T.block("C"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                C[vi] = T.float32(0)
            C[vi] = C[vi] + A[vi, vk]
    for i in T.serial(8):
        with T.block("N"):
            vi = T.axis.spatial(8, i)
            N[vi] = T.Cast("int32", vi) * 3
)",
                                         "test")
                         .functions[0];
  const std::vector<interp::Argument> before = make_arguments(f, {});
  const TemporaryFolder folder;
  Expectation(f, before).save(folder.path());
  const Expectation loaded = Expectation::load(folder.path());
  std::vector<interp::Argument> after = copy_arguments(before);
  interp::run(f, after);
  EXPECT_TRUE(loaded.compare(after).agrees());
  EXPECT_EQ(loaded.compare(after).arguments.at(1).argument, "N");
  const auto& sums = std::get<runtime::Array>(after[1]);
  const double right = sums.get_float(3);
  sums.set_float(3, right * 1.001 + 0.001);
  EXPECT_EQ(loaded.compare(after).arguments.at(0).index, 3);
  sums.set_float(3, right);
  std::get<runtime::Array>(after[2]).set_int(5, 16);
  const Comparison numbers = loaded.compare(after).arguments.at(1);
  EXPECT_EQ(numbers.mismatches, 1);
  EXPECT_EQ(numbers.expected, 15);
}

TEST(StoredExpectation, is_no_expectation_where_it_was_not_wholly_written) {
  const TemporaryFolder folder;
  EXPECT_THROW(Expectation::load(folder.path()), Error);
}

}  // namespace
}  // namespace ardea::measure
