#include "ardea/rules/constraint_name.h"

#include <gtest/gtest.h>

namespace ardea::rules {

namespace {

TEST(ConstraintName, says_what_holds_and_of_what) {
  const Var m_0("m_0"), m_1("m_1");
  EXPECT_EQ(constraint_name({equals(m_1 * m_0, make_int(12)), "decision_does_not_fit", ""}),
            "whole tiles of m_0, m_1");
  EXPECT_EQ(constraint_name({m_1 <= make_int(4), "decision_does_not_fit", ""}), "longest m_1");
  EXPECT_EQ(constraint_name({equals(m_0, make_int(4)), "tail_needs_a_guard", ""}), "whole parts of m_0");
}

TEST(ConstraintName, is_given_once) {
  ConstraintNames names;
  EXPECT_EQ(names.own("panels"), "panels");
  EXPECT_EQ(names.own("panels"), "panels (2)");
  EXPECT_EQ(names.own("panels"), "panels (3)");
}

}  // namespace

}  // namespace ardea::rules
