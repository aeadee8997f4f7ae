#include "tests/interp/programs.h"

#include <gtest/gtest.h>

namespace ardea::interp {
namespace {

/// A copy of A[4] into S[4], `after` it, and B = S.
Function copying(const std::string& after, const std::string& count = "4") {
  return program(R"(def main(A: T.Buffer((4,)), B: T.Buffer((4,))):
    S = T.allocate([4], "float32", "shared")
    S_1 = T.Buffer((4,), data=S, scope="shared")
    T.async_copy(T.address_of(S_1[0]), T.address_of(A[0]), )" +
                 count + ")\n" + after + R"(    for i in range(4):
        B[i] = S_1[i]
)");
}

std::string sentence_of(const Function& f) {
  return error_of([&] { run(f, {array(float32, {4}, {1, 2, 3, 4}), zeros(float32, {4})}); });
}

TEST(AsyncCopies, land_at_the_wait) {
  const runtime::Array b = zeros(float32, {4});
  run(copying("    T.async_commit()\n    T.async_wait(0)\n"), {array(float32, {4}, {1, 2, 3, 4}), b});
  EXPECT_EQ(elements(b), (std::vector<double>{1, 2, 3, 4}));
}

// Where the condition does not hold the source is not asked for: A[9] is no element.
TEST(AsyncCopies, land_as_zeros_where_their_condition_does_not_hold) {
  const auto copied = [](const char* condition, const char* from) {
    const Function f = program(fmt::format(R"(def main(A: T.Buffer((4,)), B: T.Buffer((2,))):
    S = T.allocate([2], "float32", "shared")
    S_1 = T.Buffer((2,), data=S, scope="shared")
    S_1[0] = T.float32(7)
    S_1[1] = T.float32(7)
    T.async_copy_or_zero(T.address_of(S_1[0]), T.address_of(A[{}]), 2, {})
    T.async_commit()
    T.async_wait(0)
    for i in range(2):
        B[i] = S_1[i]
)",
                                           from, condition));
    const runtime::Array b = zeros(float32, {2});
    run(f, {array(float32, {4}, {1, 2, 3, 4}), b});
    return elements(b);
  };
  EXPECT_EQ(copied("T.bool(True)", "1"), (std::vector<double>{2, 3}));
  EXPECT_EQ(copied("T.bool(False)", "9"), (std::vector<double>{0, 0}));
}

TEST(AsyncCopies, must_be_waited_for_before_the_destination_is_read) {
  EXPECT_TRUE(says(sentence_of(copying("")), "reads S_1[0] while the copy `T.async_copy("));
  EXPECT_TRUE(
      says(sentence_of(copying("    T.async_commit()\n")), "still in flight; T.async_wait must come first"));
  EXPECT_TRUE(
      says(sentence_of(copying("    T.async_wait(0)\n")), "still in flight"));  // its group was never closed
  EXPECT_TRUE(says(sentence_of(copying("    T.async_commit()\n    T.async_wait(1)\n")), "still in flight"));
}

TEST(AsyncCopies, leave_alone_what_they_touch_until_they_land) {
  EXPECT_TRUE(says(sentence_of(copying("    A[3] = T.float32(9)\n")), "writes A[3] while the copy"));
  EXPECT_TRUE(says(sentence_of(copying("    S_1[3] = T.float32(9)\n")), "writes S_1[3] while the copy"));
  EXPECT_EQ(sentence_of(copying("    B[0] = A[3]\n    T.async_commit()\n    T.async_wait(0)\n")), "");
}

TEST(AsyncCopies, of_parts_land_in_the_order_of_their_groups) {
  const Function f = program(R"(def main(A: T.Buffer((4,)), B: T.Buffer((4,)), n: T.int64):
    S = T.allocate([4], "float32", "shared")
    S_1 = T.Buffer((4,), data=S, scope="shared")
    for i in range(4):
        T.async_copy(T.address_of(S_1[i]), T.address_of(A[3 - i]), 1)
        T.async_commit()
    T.async_wait(1)
    for i in range(n):
        B[i] = S_1[i]
    T.async_wait(0)
)");
  const runtime::Array a = array(float32, {4}, {1, 2, 3, 4}), b = zeros(float32, {4});
  run(f, {a, b, std::int64_t{3}});
  EXPECT_EQ(elements(b), (std::vector<double>{4, 3, 2, 0}));
  EXPECT_TRUE(says(error_of([&] { run(f, {a, b, std::int64_t{4}}); }), "reads S_1[3] while the copy"));
}

TEST(AsyncCopies, that_leave_the_memory_or_are_never_waited_for_are_reported) {
  EXPECT_TRUE(says(sentence_of(copying("", "5")), "leaves the memory, which has 16 and 16 bytes"));
  const Function forgotten = program(R"(def main(A: T.Buffer((4,)), B: T.Buffer((4,))):
    T.async_copy(T.address_of(B[0]), T.address_of(A[0]), 4)
)");
  EXPECT_TRUE(says(sentence_of(forgotten),
                   "the asynchronous copy to B is never waited for; end with T.async_wait(0)"));
  const Function released = program(R"(def main(A: T.Buffer((4,)), B: T.Buffer((4,))):
    for i in range(2):
        S = T.allocate([4], "float32", "shared")
        S_1 = T.Buffer((4,), data=S, scope="shared")
        T.async_copy(T.address_of(S_1[0]), T.address_of(A[0]), 4)
        T.async_commit()
)");
  EXPECT_TRUE(says(sentence_of(released), "S is released while the copy"));
}

TEST(AsyncCopies, a_group_may_be_empty_and_counts) {
  EXPECT_EQ(sentence_of(program("def main(A: T.Buffer((4,)), B: T.Buffer((4,))):\n    T.async_commit()\n")),
            "");
  // At most one group under way: the empty one, so the copy before it has landed.
  EXPECT_EQ(sentence_of(copying("    T.async_commit()\n    T.async_commit()\n    T.async_wait(1)\n")), "");
}

TEST(AsyncCopies, are_seen_by_other_threads_only_after_a_barrier) {
  const auto staged = [](bool barrier, std::uint64_t seed) {
    const Function f = program(std::string(R"(def main(A: T.Buffer((8,)), B: T.Buffer((8,))):
    T.func_attr({"concurrent_threads": T.bool(True)})
    for tx in T.thread_binding(8, thread="threadIdx.x"):
        S = T.allocate([8], "float32", "shared")
        S_1 = T.Buffer((8,), data=S, scope="shared")
        T.async_copy(T.address_of(S_1[tx]), T.address_of(A[tx]), 1)
        T.async_commit()
        T.async_wait(0)
)") + (barrier ? "        T.barrier(\"shared\")\n" : "") +
                               "        B[tx] = S_1[7 - tx]\n");
    const runtime::Array a = array(float32, {8}, {1, 2, 3, 4, 5, 6, 7, 8}), b = zeros(float32, {8});
    const std::string sentence = error_of([&] { run(f, {a, b}, {.seed = seed}); });
    if (barrier) {
      EXPECT_EQ(elements(b), (std::vector<double>{8, 7, 6, 5, 4, 3, 2, 1}));
    }
    return sentence;
  };
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    EXPECT_EQ(staged(true, seed), "") << "seed " << seed;
    EXPECT_TRUE(says(staged(false, seed), "S_1[")) << "seed " << seed;
  }
}

}  // namespace
}  // namespace ardea::interp
