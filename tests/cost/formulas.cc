#include "ardea/cost/formulas.h"

#include <gtest/gtest.h>

#include "ardea/ir/stmt.h"

namespace ardea::cost {
namespace {

using Op = Formulas::Op;

double value_of(Formulas formulas, Formulas::Value value, const std::vector<double>& inputs) {
  formulas.keep({value});
  std::vector<double> work;
  double result = 0;
  formulas.compute(inputs, work, {&result, 1});
  return result;
}

TEST(Formulas, compute_what_programs_compute) {
  const Var x("x"), y("y");
  Formulas formulas;
  const Formulas::Environment environment = {{x, formulas.input(0)}, {y, formulas.input(1)}};
  const auto at = [&](const Expr& e, double a, double b) {
    const Formulas::Value value = formulas.of(e, environment);
    return value_of(formulas, value, {a, b});
  };
  EXPECT_EQ(at(x * 3 - y, 5, 4), 11);
  EXPECT_EQ(at(floor_div(x, y), -7, 2), -4);
  EXPECT_EQ(at(floor_mod(x, y), -7, 2), 1);
  EXPECT_EQ(at(trunc_div(x, y), -7, 2), -3);
  EXPECT_EQ(at(trunc_mod(x, y), -7, 2), -1);
  EXPECT_EQ(at(min(x, y) + max(x, y) * 10, 2, 9), 92);
  EXPECT_EQ(at(make_select(logical_and(x < y, x >= 2), x, y), 2, 9), 2);
  EXPECT_EQ(at(make_select(logical_or(x > y, equals(x, 3)), x, y), 2, 9), 9);
  EXPECT_EQ(at(floor_div(x, y), 7, 0), 0);
}

TEST(Formulas, fold_numbers_and_keep_what_is_different_once) {
  Formulas formulas;
  const auto x = formulas.input(0);
  EXPECT_EQ(formulas.constant(formulas.add(formulas.number(2), formulas.number(3))), 5);
  EXPECT_EQ(formulas.multiply(x, formulas.number(1)), x);
  EXPECT_EQ(formulas.constant(formulas.multiply(x, formulas.number(0))), 0);
  EXPECT_EQ(formulas.add(x, formulas.number(2)), formulas.add(x, formulas.number(2)));
  EXPECT_EQ(formulas.select(formulas.number(1), x, formulas.number(2)), x);
}

TEST(Formulas, do_not_know_what_reads_memory) {
  const Buffer buffer = make_buffer("A", std::vector<int>{4}, int64);
  const Var x("x");
  Formulas formulas;
  const Formulas::Environment environment = {{x, formulas.input(0)}};
  EXPECT_EQ(formulas.of(make_load(buffer, {x}) + 1, environment), Formulas::unknown);
  EXPECT_EQ(formulas.of(Var("z") + 1, environment), Formulas::unknown);
}

TEST(Formulas, know_the_inputs_behind_what_they_keep) {
  Formulas formulas;
  const auto x = formulas.input(0), y = formulas.input(1);
  formulas.input(2);
  formulas.keep({formulas.add(x, y), y, formulas.number(3)});
  EXPECT_EQ(formulas.inputs_behind(), (std::vector<std::vector<std::size_t>>{{0, 1}, {1}, {}}));
  EXPECT_EQ(formulas.size(), 4U);
}

}  // namespace
}  // namespace ardea::cost
