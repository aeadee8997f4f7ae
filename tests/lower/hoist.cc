#include "rules.h"

#include <gtest/gtest.h>

namespace ardea::lower {

namespace {

std::string hoisted(const std::string& body) { return body_after("hoist_invariants", body); }

void hoists_nothing(const std::string& body) { EXPECT_EQ(hoisted(body), body); }

TEST(Hoist, moves_divisions_before_the_loops_that_do_not_change_them) {
  EXPECT_EQ(hoisted("for f in range(16):\n"
                    "    for i, j in T.grid(2, 2):\n"
                    "        Y[f // 4 * 4 + i * 2 + j] = X[f // 4] + X[(f + i) % 5]\n"),
            "for f in range(16):\n"
            "    invariant_1: T.int64 = f // 4\n"
            "    for i in range(2):\n"
            "        invariant_2: T.int64 = (f + i) % 5\n"
            "        for j in range(2):\n"
            "            Y[invariant_1 * 4 + i * 2 + j] = X[invariant_1] + X[invariant_2]\n");
}

TEST(Hoist, leaves_sums_and_products_where_they_are) {
  hoists_nothing(
      "for i, j in T.grid(8, 8):\n"
      "    Y[i * 8 + 3] = X[i * 8 + j]\n");
}

TEST(Hoist, does_not_divide_by_what_may_be_zero_where_the_program_does_not) {
  hoists_nothing(
      "for i in range(T.max(T.min(n, 4), 0)):\n"
      "    Y[i] = X[40 // T.max(n, 1) % 64]\n");
}

TEST(Hoist, leaves_calls_under_their_condition) {
  EXPECT_EQ(hoisted("for i in range(8):\n"
                    "    if i == 3:\n"
                    "        for j in range(4):\n"
                    "            Y[i // 2 * 4 + j] = X[j] * T.exp(T.Cast(\"float32\", i))\n"
                    "    Y[i] = X[i]\n"),
            "for i in range(8):\n"
            "    if i == 3:\n"
            "        invariant_1: T.int64 = i // 2\n"
            "        invariant_2: T.float32 = T.exp(T.Cast(\"float32\", i))\n"
            "        for j in range(4):\n"
            "            Y[invariant_1 * 4 + j] = X[j] * invariant_2\n"
            "    Y[i] = X[i]\n");
}

TEST(Hoist, moves_divisions_out_of_conditions_that_change_with_the_loop) {
  EXPECT_EQ(hoisted("for i in range(8):\n"
                    "    for j in range(4):\n"
                    "        if j < n:\n"
                    "            Y[i // 2 * 4 + j] = X[j]\n"),
            "for i in range(8):\n"
            "    invariant_1: T.int64 = i // 2\n"
            "    for j in range(4):\n"
            "        if j < n:\n"
            "            Y[invariant_1 * 4 + j] = X[j]\n");
}

TEST(Hoist, asks_a_condition_before_the_loops_that_do_not_change_it) {
  EXPECT_EQ(hoisted("for i in range(8):\n"
                    "    for j in range(4):\n"
                    "        if i < n and j < 3:\n"
                    "            Y[i * 4 + j] = X[j]\n"),
            "for i in range(8):\n"
            "    if i < n:\n"
            "        for j in range(4):\n"
            "            if j < 3:\n"
            "                Y[i * 4 + j] = X[j]\n");
}

TEST(Hoist, makes_a_loop_of_each_side_of_a_condition) {
  EXPECT_EQ(hoisted("for i in range(8):\n"
                    "    for j in range(4):\n"
                    "        if i < n:\n"
                    "            Y[i * 4 + j] = X[j]\n"
                    "        else:\n"
                    "            Y[i * 4 + j] = T.float32(0.0)\n"),
            "for i in range(8):\n"
            "    if i < n:\n"
            "        for j in range(4):\n"
            "            Y[i * 4 + j] = X[j]\n"
            "    else:\n"
            "        for j in range(4):\n"
            "            Y[i * 4 + j] = T.float32(0.0)\n");
}

TEST(Hoist, leaves_a_condition_on_memory_that_the_loop_may_write) {
  hoists_nothing(
      "for i in range(8):\n"
      "    if K[0] < 3:\n"
      "        K[0] = K[0] + 1\n");
}

}  // namespace

}  // namespace ardea::lower
