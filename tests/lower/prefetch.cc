#include "programs.h"
#include "rules.h"

/// The pragma prefetch: hints that change no answer. golden/insert_prefetches.txt shows where they stand.

namespace ardea::lower {

namespace {

std::string with_pragma(const std::string& value) {
  return "for i in T.serial(24, annotations={\"pragma_prefetch\": " + value + "}):\n    Y[i] = X[i]\n";
}

TEST(Prefetch, asks_for_elements_beyond_the_end) {
  const std::string after = body_after("insert_prefetches", with_pragma("[\"X\", 1000, \"Y\", 8]"));
  EXPECT_EQ(after,
            "for i in range(24):\n"
            "    T.prefetch(T.address_of(X[i + 1000]), T.int32(0))\n"
            "    T.prefetch(T.address_of(Y[i + 8]), T.int32(1))\n"
            "    Y[i] = X[i]\n");
}

TEST(Prefetch, keeps_the_pragma_of_a_loop_that_becomes_vectors) {
  const std::string pragma = "annotations={\"pragma_prefetch\": [\"X\", 16]}";
  const std::string after =
      body_after("vectorize", "for i in T.vectorized(48, " + pragma + "):\n    Y[i] = X[i]\n");
  EXPECT_NE(after.find("T.serial(12, " + pragma), std::string::npos) << after;
}

void expect_error(const std::string& value, const std::string& part) {
  try {
    body_after("insert_prefetches", with_pragma(value));
    ADD_FAILURE() << "accepted " << value;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(Prefetch, refuses_what_is_not_pairs_of_names_and_numbers) {
  expect_error("[\"X\"]", "a list of names of parameters, each with a number of elements");
  expect_error("8", "a list of names of parameters");
  expect_error("[\"X\", \"Y\"]", "a list of names of parameters");
}

TEST(Prefetch, refuses_a_name_that_is_no_parameter) {
  expect_error("[\"Z\", 8]", "names Z, which is no parameter");
}

}  // namespace

}  // namespace ardea::lower
