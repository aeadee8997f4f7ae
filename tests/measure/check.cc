#include "ardea/measure/check.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ardea/arith/load.h"
#include "ardea/compile/compile.h"
#include "ardea/measure/inputs.h"
#include "ardea/support/error.h"
#include "tests/support/product_text.h"

namespace ardea::measure {
namespace {

using runtime::Array;

const std::string gemm = test::product_text(7, 13, 5);

const std::string counting = R"(
@T.prim_func
def counting(X: T.Buffer((9,), "int8"), Y: T.Buffer((9,), "int32")):
    for i in range(9):
        Y[i] = T.Cast("int32", X[i]) * 1000
)";

struct Prepared {
  Function f;
  std::vector<interp::Argument> before, after;
};

Prepared prepared(const std::string& text) {
  Prepared p{arith::load_program(text, "test").functions[0], {}, {}};
  p.before = make_arguments(p.f, {.seed = 1});
  p.after = copy_arguments(p.before);
  interp::run(p.f, p.after);
  return p;
}

const Array& output(const Prepared& p) { return std::get<Array>(p.after.back()); }

TEST(Check, accepts_a_right_answer_by_either_reference) {
  for (const std::string& text : {gemm, counting})
    for (const Reference reference : {Reference::interpreter, Reference::compiled}) {
      const Prepared p = prepared(text);
      const CheckReport report = check(p.f, p.before, p.after, reference);
      ASSERT_EQ(report.arguments.size(), 1u);
      EXPECT_TRUE(report.agrees());
      EXPECT_EQ(report.arguments[0].elements, output(p).element_count());
      EXPECT_LE(report.arguments[0].largest_ratio, 1);
    }
}

/// Long answers of narrow floats are compared by a table, short ones element by element.
TEST(Check, finds_the_wrong_elements_of_long_answers_of_narrow_floats) {
  constexpr std::int64_t count = 70001;
  for (const std::string type : {"float16", "bfloat16"}) {
    Prepared p =
        prepared("@T.prim_func\ndef f(X: T.Buffer((70001,), \"" + type + "\"), Y: T.Buffer((70001,), \"" +
                 type + "\")):\n    for i in range(70001):\n        Y[i] = X[i] * X[i]\n");
    const Expectation expectation(p.f, p.before, Reference::compiled);
    EXPECT_TRUE(expectation.compare(p.after).agrees()) << type;
    const Array& y = output(p);
    y.set_float(70000, y.get_float(70000) + 1);
    y.set_float(12345, std::numeric_limits<double>::quiet_NaN());
    y.set_float(3, -y.get_float(3) - 1);
    const Comparison c = expectation.compare(p.after).arguments.at(0);
    EXPECT_EQ(c.elements, count);
    EXPECT_EQ(c.mismatches, 3) << type;
    EXPECT_EQ(c.index, 3) << type;
  }
}

TEST(Check, takes_a_scalar_as_rounded_to_its_type) {
  for (const std::string type : {"float32", "float16", "bfloat16"}) {
    const std::string text = "@T.prim_func\ndef f(alpha: T." + type +
                             ", Y: T.Buffer((3,), \"float64\")):\n    for i in range(3):\n        Y[i] = "
                             "T.Cast(\"float64\", alpha)\n";
    const Prepared p = prepared(text.c_str());
    EXPECT_TRUE(check(p.f, p.before, p.after, Reference::interpreter).agrees()) << type;
  }
}

TEST(Check, follows_integers_through_a_reinterpretation) {
  const Prepared p = prepared(R"(
@T.prim_func
def f(X: T.Buffer((5,), "int8"), Y: T.Buffer((5,), "float32")):
    for i in range(5):
        Y[i] = T.Cast("float32", T.reinterpret("uint8", X[i])) * T.float32(0.1)
)");
  EXPECT_TRUE(check(p.f, p.before, p.after, Reference::interpreter).agrees());
}

TEST(Check, finds_one_wrong_element_and_says_where) {
  const Prepared p = prepared(gemm);
  const double right = output(p).get_float(17);
  output(p).set_float(17, right * 1.001 + 0.001);
  const CheckReport report = check(p.f, p.before, p.after);
  EXPECT_FALSE(report.agrees());
  EXPECT_EQ(report.arguments[0].mismatches, 1);
  EXPECT_EQ(report.arguments[0].index, 17);
  EXPECT_NEAR(report.arguments[0].expected, right, 1e-5);
}

TEST(Check, nan_and_infinity_never_agree_with_a_number) {
  for (const double wrong :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    const Prepared p = prepared(gemm);
    output(p).set_float(3, wrong);
    EXPECT_FALSE(check(p.f, p.before, p.after).agrees());
  }
}

TEST(Check, integers_must_be_equal_to_the_bit) {
  const Prepared p = prepared(counting);
  output(p).set_int(4, output(p).get_int(4) + 1);
  const CheckReport report = check(p.f, p.before, p.after);
  EXPECT_EQ(report.arguments[0].mismatches, 1);
  EXPECT_EQ(report.arguments[0].tolerance, 0);
}

TEST(Check, an_element_that_was_never_written_is_noticed) {
  const Prepared p = prepared(gemm);
  output(p).set_float(11, std::get<Array>(p.before.back()).get_float(11));
  EXPECT_EQ(check(p.f, p.before, p.after).arguments[0].mismatches, 1);
}

TEST(Check, refuses_what_it_cannot_bound) {
  const Function f = arith::load_program(R"(
@T.prim_func
def f(X: T.Buffer((4,), "float32"), Y: T.Buffer((4,), "int32")):
    for i in range(4):
        Y[i] = T.reinterpret(X[i], dtype="int32")
)",
                                         "test")
                         .functions[0];
  const auto before = make_arguments(f, {});
  try {
    check(f, before, before);
    FAIL() << "accepted";
  } catch (const Error& e) {
    EXPECT_STREQ(
        e.what(),
        "the result of T.reinterpret cannot be bounded: check the program without it, or without --check");
  }
}

TEST(Inputs, are_the_same_for_the_same_seed_and_differ_for_another) {
  const Function f = arith::load_program(gemm, "test").functions[0];
  const auto bits = [&](std::uint64_t seed, std::size_t argument) {
    std::vector<std::uint64_t> all;
    const auto arguments = make_arguments(f, {.seed = seed});
    const auto& array = std::get<Array>(arguments[argument]);
    for (std::int64_t i = 0; i < array.element_count(); ++i) all.push_back(array.get_bits(i));
    return all;
  };
  EXPECT_EQ(bits(3, 0), bits(3, 0));
  EXPECT_NE(bits(3, 0), bits(4, 0));
  EXPECT_NE(bits(3, 0), bits(3, 1));
}

TEST(Inputs, roles_follow_the_first_access) {
  const Function f = arith::load_program(R"(
@T.prim_func
def f(X: T.Buffer((4,), "float32"), Y: T.Buffer((4,), "float32"), Z: T.Buffer((4,), "float32")):
    for i in range(4):
        Y[i] = Y[i] + X[i]
        Z[i] = X[i]
        Z[i] = Z[i] * T.float32(2.0)
)",
                                         "test")
                         .functions[0];
  EXPECT_EQ(argument_roles(f), (std::vector<Role>{Role::input, Role::in_place, Role::output}));
  EXPECT_EQ(argument_roles(arith::load_program(gemm, "test").functions[0]),
            (std::vector<Role>{Role::input, Role::input, Role::output}));
}

TEST(Inputs, that_index_a_buffer_stay_inside_it) {
  const Function f = arith::load_program(R"(
@T.prim_func
def gather(X: T.Buffer((3,), "float32"), I: T.Buffer((50,), "int32"), Y: T.Buffer((50,), "float32")):
    for i in range(50):
        Y[i] = X[I[i]]
)",
                                         "test")
                         .functions[0];
  const auto arguments = make_arguments(f, {.seed = 9});
  interp::run(f, arguments);  // reports an index out of range
  std::set<std::int64_t> seen;
  for (int i = 0; i < 50; ++i) seen.insert(std::get<Array>(arguments[1]).get_int(i));
  EXPECT_EQ(seen, (std::set<std::int64_t>{0, 1, 2}));
}

TEST(Inputs, symbolic_sizes_are_taken_by_name_and_unknown_names_refused) {
  const Function f = arith::load_program(R"(
@T.prim_func
def f(x: T.handle, y: T.handle):
    n = T.int64()
    X = T.match_buffer(x, (n,), "float32")
    Y = T.match_buffer(y, (n,), "float32")
    for i in range(n):
        Y[i] = X[i]
)",
                                         "test")
                         .functions[0];
  EXPECT_EQ(std::get<Array>(make_arguments(f, {.sizes = {{"n", 6}}})[1]).shape(),
            (std::vector<std::int64_t>{6}));
  try {
    make_arguments(f, {.sizes = {{"m", 6}}});
    FAIL() << "accepted";
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), "the program has no size called m; it has n");
  }
}

TEST(Inputs, keep_outputs_finite_for_long_sums_in_narrow_types) {
  const Function f = arith::load_program(R"(
@T.prim_func
def f(A: T.Buffer((2, 4096), "float16"), B: T.Buffer((4096, 2), "float16"), C: T.Buffer((2, 2), "float16")):
    for i, j, r in T.grid(2, 2, 4096):
        with T.block("C"):
            vi, vj, vr = T.axis.remap("SSR", [i, j, r])
            with T.init():
                C[vi, vj] = T.float16(0.0)
            C[vi, vj] = C[vi, vj] + T.exp(A[vi, vr] * B[vr, vj]) / T.float16(4.0)
)",
                                         "test")
                         .functions[0];
  const auto arguments = make_arguments(f, {});
  interp::run(f, arguments);
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(std::isfinite(std::get<Array>(arguments[2]).get_float(i)));
}

}  // namespace
}  // namespace ardea::measure
