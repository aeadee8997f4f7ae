#include "rules.h"

#include <gtest/gtest.h>

namespace ardea::lower {

namespace {

std::string shared(const std::string& body, bool no_alias = true) {
  return body_after("eliminate_common_subexpressions", body, no_alias);
}

void shares_nothing(const std::string& body, bool no_alias = true) {
  EXPECT_EQ(shared(body, no_alias), body);
}

TEST(CommonSubexpressions, get_a_name_before_the_first_of_the_statements_that_use_them) {
  EXPECT_EQ(shared("for i in range(4):\n"
                   "    Y[i] = X[i]\n"
                   "    Y[i * 4 + i * i] = T.float32(1.0)\n"
                   "    for j in range(2):\n"
                   "        Z[i * 4 + j] = X[i * i]\n"),
            "for i in range(4):\n"
            "    Y[i] = X[i]\n"
            "    cse_var_1: T.int64 = i * 4\n"
            "    cse_var_2: T.int64 = i * i\n"
            "    Y[cse_var_1 + cse_var_2] = T.float32(1.0)\n"
            "    for j in range(2):\n"
            "        Z[cse_var_1 + j] = X[cse_var_2]\n");
}

TEST(CommonSubexpressions, count_a_part_of_a_repeated_whole_once) {
  EXPECT_EQ(shared("for i, j in T.grid(4, 4):\n"
                   "    Y[i * 4 + j] = Y[i * 4 + j] + T.float32(1.0)\n"),
            "for i, j in T.grid(4, 4):\n"
            "    cse_var_1: T.int64 = i * 4 + j\n"
            "    Y[cse_var_1] = Y[cse_var_1] + T.float32(1.0)\n");
}

TEST(CommonSubexpressions, are_not_found_in_an_index_plus_a_number_or_in_conditions) {
  shares_nothing(
      "for i in range(8):\n"
      "    if i < n:\n"
      "        Y[i + 1] = Y[i + 1] + T.float32(1.0)\n"
      "    if i < n:\n"
      "        Z[i + 1] = T.float32(2.0)\n");
}

TEST(CommonSubexpressions, of_loads_end_at_a_store_to_the_same_memory) {
  EXPECT_EQ(shared("for i in range(8):\n"
                   "    Y[i] = X[i] * X[i]\n"
                   "    Z[i] = X[i]\n"
                   "    X[0] = T.float32(0.5)\n"
                   "    Z[i + 8] = X[i]\n"),
            "for i in range(8):\n"
            "    cse_var_1: T.float32 = X[i]\n"
            "    Y[i] = cse_var_1 * cse_var_1\n"
            "    Z[i] = cse_var_1\n"
            "    X[0] = T.float32(0.5)\n"
            "    Z[i + 8] = X[i]\n");
}

TEST(CommonSubexpressions, of_loads_end_at_a_store_to_arguments_that_may_overlap) {
  shares_nothing(
      "for i in range(8):\n"
      "    Y[i] = X[i]\n"
      "    Z[i] = X[i]\n",
      /*no_alias=*/false);
}

TEST(CommonSubexpressions, of_loads_do_not_last_from_one_iteration_to_the_next) {
  shares_nothing(
      "for i in range(8):\n"
      "    for j in range(2):\n"
      "        Y[j] = X[i]\n"
      "        X[i] = T.float32(0.5)\n"
      "    Z[i] = X[i]\n");
}

TEST(CommonSubexpressions, of_loads_do_not_pass_from_one_branch_to_the_other) {
  shares_nothing(
      "for i in range(8):\n"
      "    if i < n:\n"
      "        X[i] = T.float32(0.5)\n"
      "        Y[i] = X[i]\n"
      "    else:\n"
      "        Y[i] = X[i]\n");
}

TEST(CommonSubexpressions, are_not_loaded_where_the_program_may_not_load_them) {
  shares_nothing(
      "for i in range(8):\n"
      "    Y[i] = T.if_then_else(n > i, X[i + 7], X[i + 7] * T.float32(2.0))\n");
  shares_nothing(
      "for i in range(8):\n"
      "    if i < 4:\n"
      "        Y[i] = X[i + 7]\n"
      "    if i > 5:\n"
      "        Z[i] = X[i + 7]\n");
}

TEST(CommonSubexpressions, do_not_divide_where_the_program_does_not) {
  shares_nothing(
      "for i in range(8):\n"
      "    if n > 0:\n"
      "        Y[i] = X[40 // n % 64]\n"
      "    if n > 1:\n"
      "        Z[i] = X[40 // n % 64]\n");
}

}  // namespace

}  // namespace ardea::lower
