#include <gtest/gtest.h>

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

/// Where a loop only reads, other threads may keep the line.
TEST(Prefetch, of_memory_of_its_own_asks_to_write_where_the_loop_stores) {
  const auto ask = [](const std::string& distance) {
    return "annotations={\"pragma_prefetch\": [\"Z\", " + distance + "]}";
  };
  const std::string after = body_after("insert_prefetches",
                                       "Z = T.allocate([64], \"float32\", \"global\")\n"
                                       "Z_1 = T.Buffer((64,), data=Z)\n"
                                       "for i in T.serial(24, " +
                                           ask("8") +
                                           "):\n    Z_1[i] = X[i]\n"
                                           "for i in T.serial(24, " +
                                           ask("16") + "):\n    Y[i] = Z_1[i]\n");
  EXPECT_NE(after.find("T.prefetch(T.address_of(Z_1_1[i + 8]), T.int32(1))"), std::string::npos) << after;
  EXPECT_NE(after.find("T.prefetch(T.address_of(Z_1_1[i + 16]), T.int32(0))"), std::string::npos) << after;
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
  expect_error("[\"X\"]", "a list of names of buffers, each with a number of elements");
  expect_error("8", "a list of names of buffers");
  expect_error("[\"X\", \"Y\"]", "a list of names of buffers");
}

TEST(Prefetch, refuses_a_name_that_is_no_memory_of_the_program) {
  expect_error("[\"Z\", 8]", "names Z, which is no memory that the program uses");
}

}  // namespace

}  // namespace ardea::lower
