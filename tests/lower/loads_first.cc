#include <gtest/gtest.h>

#include "rules.h"

/// Vectors that compute functions load before the first one stores.

namespace ardea::lower {

namespace {

std::string vectorized(const std::string& body) { return body_after("vectorize", body); }

TEST(LoadsFirst, functions_are_computed_when_all_vectors_are_loaded) {
  const std::string text = vectorized("for i in T.vectorized(8):\n    Y[i] = X[i] * T.exp(X[i] + Z[i])\n");
  const std::size_t first_store = text.find("Y["), last_load = text.rfind("X[");
  EXPECT_LT(last_load, first_store) << text;
  EXPECT_LT(text.rfind("Z["), first_store) << text;
}

TEST(LoadsFirst, what_an_iteration_overwrites_is_its_own) {
  const std::string text = vectorized("for i in T.vectorized(8):\n    Y[i] = T.tanh(Y[i])\n");
  EXPECT_EQ(text.find("Y[0:4] ="), text.rfind("Y[0:4] =")) << text;
  EXPECT_LT(text.find("= Y[4:8]"), text.find("Y[0:4] =")) << text;
}

TEST(LoadsFirst, sums_and_what_may_not_be_read_stay_where_they_are) {
  const std::string sums = vectorized("for i in T.vectorized(8):\n    Y[i] = X[i] + Z[i]\n");
  EXPECT_LT(sums.find("Y["), sums.rfind("X[")) << sums;
  const std::string asked =
      vectorized("for i in T.vectorized(8):\n    Y[i] = T.exp(T.if_then_else(K[i] > 0, X[i], Z[i]))\n");
  EXPECT_EQ(asked.find("_lanes"), std::string::npos) << asked;
}

}  // namespace

}  // namespace ardea::lower
