#include <gtest/gtest.h>

#include "rules.h"

/// Parallel loops inside parallel loops.

namespace ardea::lower {

namespace {

std::string joined(const std::string& body) { return body_after("serial_kinds", body); }

TEST(ParallelNests, a_loop_around_nothing_but_a_loop_is_one_over_all_pairs) {
  EXPECT_EQ(joined("for i in T.parallel(3):\n"
                   "    for j in T.parallel(1, 6):\n"
                   "        Y[i * 6 + j] = X[j]\n"),
            "for i_j in T.parallel(15):\n"
            "    Y[i_j // 5 * 6 + (1 + i_j % 5)] = X[1 + i_j % 5]\n");
  EXPECT_EQ(joined("for i in T.parallel(2):\n"
                   "    for j in T.parallel(3):\n"
                   "        for k in T.parallel(4):\n"
                   "            Y[i * 12 + j * 4 + k] = X[k]\n"),
            "for i_j_k in T.parallel(24):\n"
            "    Y[i_j_k // 4 // 3 * 12 + i_j_k // 4 % 3 * 4 + i_j_k % 4] = X[i_j_k % 4]\n");
}

TEST(ParallelNests, others_inside_are_serial) {
  const std::string beside = joined(
      "for i in T.parallel(3):\n"
      "    Y[i + 20] = X[i]\n"
      "    for j in T.parallel(5):\n"
      "        Y[i * 5 + j] = X[j]\n");
  EXPECT_NE(beside.find("for i in T.parallel(3)"), std::string::npos) << beside;
  EXPECT_NE(beside.find("for j in range(5)"), std::string::npos) << beside;
  const std::string triangle = joined(
      "for i in T.parallel(4):\n"
      "    for j in T.parallel(i + 1):\n"
      "        Y[i * 4 + j] = X[j]\n");
  EXPECT_NE(triangle.find("for i in T.parallel(4)"), std::string::npos) << triangle;
  EXPECT_NE(triangle.find("for j in range("), std::string::npos) << triangle;
}

TEST(ParallelNests, lengths_that_only_a_call_knows_are_never_divided_by_as_zero) {
  const std::string open = joined(
      "for i in T.parallel(3):\n"
      "    for j in T.parallel(T.min(n, T.int64(5))):\n"
      "        Y[i * 5 + j] = X[j]\n");
  EXPECT_NE(open.find("for i_j in T.parallel("), std::string::npos) << open;
  EXPECT_NE(open.find("// T.max("), std::string::npos) << open;
}

}  // namespace

}  // namespace ardea::lower
