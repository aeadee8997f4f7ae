#include "tests/interp/programs.h"

#include <gtest/gtest.h>

namespace ardea::interp {
namespace {

using Numbers = std::vector<double>;

Function on_threads(const std::string& head, const std::string& body) {
  return program(head + "\n    T.func_attr({\"concurrent_threads\": T.bool(True)})\n" + body);
}

/// Each thread writes its own element of shared memory and then reads its neighbour's.
Function neighbours(bool with_barrier) {
  return on_threads(R"(def main(A: T.Buffer((2, 64), "int32"), B: T.Buffer((2, 64), "int32")):)",
                    std::string(R"(    for bx in T.thread_binding(2, thread="blockIdx.x"):
        S = T.allocate([64], "int32", "shared")
        S_1 = T.Buffer((64,), "int32", data=S, scope="shared")
        for tx in T.thread_binding(64, thread="threadIdx.x"):
            S_1[tx] = A[bx, tx]
)") + (with_barrier ? "            T.barrier(\"shared\")\n" : "") +
                        "            B[bx, tx] = S_1[(tx + 1) % 64]\n");
}

TEST(Threads, a_program_with_its_barriers_is_right_in_every_order) {
  const Function f = neighbours(true);
  Numbers numbers(128), expected(128);
  for (std::size_t i = 0; i < 128; ++i) numbers[i] = static_cast<double>(i * 3);
  for (std::size_t i = 0; i < 128; ++i) expected[i] = numbers[i / 64 * 64 + (i + 1) % 64];
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const runtime::Array b = zeros(int32, {2, 64});
    run(f, {array(int32, {2, 64}, numbers), b}, {.seed = seed, .uninitialised_arguments = {1}});
    ASSERT_EQ(elements(b), expected) << "seed " << seed;
  }
}

TEST(Threads, a_missing_barrier_is_reported_in_every_order) {
  const Function f = neighbours(false);
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const std::string sentence =
        error_of([&] { run(f, {zeros(int32, {2, 64}), zeros(int32, {2, 64})}, {.seed = seed}); });
    // What a thread finds first is its neighbour's element unwritten, or written without a barrier since.
    ASSERT_TRUE(says(sentence, "S_1["));
    if (sentence.find("never written") == std::string::npos) {
      ASSERT_TRUE(says(sentence, "a barrier is missing"));
    }
  }
}

TEST(Threads, a_race_names_both_statements_and_threads) {
  const Function f = on_threads("def main(A: T.Buffer((4,), \"int32\")):",
                                R"(    for tx in T.thread_binding(4, thread="threadIdx.x"):
        if tx < 2:
            A[tx] = 1
        else:
            A[tx - 2] = 2
)");
  const std::string sentence = error_of([&] { run(f, {zeros(int32, {4})}); });
  EXPECT_TRUE(says(sentence, "main: a write races on A["));
  EXPECT_TRUE(says(sentence, "`A[tx] = 1`"));
  EXPECT_TRUE(says(sentence, "`A[tx - 2] = 2`"));
  EXPECT_TRUE(says(sentence, "thread (threadIdx.x = "));
  EXPECT_TRUE(says(sentence, "a barrier is missing between them"));
}

TEST(Threads, many_may_read_what_none_writes) {
  const Function f = on_threads("def main(A: T.Buffer((1,), \"int32\"), B: T.Buffer((40,), \"int32\")):",
                                R"(    for tx in T.thread_binding(40, thread="threadIdx.x"):
        B[tx] = A[0] + T.Cast("int32", tx)
)");
  const runtime::Array b = zeros(int32, {40});
  run(f, {integers(int32, {5}), b});
  EXPECT_EQ(b.get_int(39), 44);
}

TEST(Threads, a_write_after_reads_of_other_threads_races) {
  // Every thread reads A[0]; then thread 7 writes it: only a barrier between makes that right.
  const auto run_it = [](bool barrier, std::uint64_t seed) {
    const Function f = on_threads("def main(A: T.Buffer((1,), \"int32\"), B: T.Buffer((40,), \"int32\")):",
                                  std::string(R"(    for tx in T.thread_binding(40, thread="threadIdx.x"):
        B[tx] = A[0]
)") + (barrier ? "        T.barrier(\"shared\")\n" : "") +
                                      R"(        if tx == 7:
            A[0] = 1
)");
    return error_of([&] { run(f, {zeros(int32, {1}), zeros(int32, {40})}, {.seed = seed}); });
  };
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    EXPECT_EQ(run_it(true, seed), "") << "seed " << seed;
    EXPECT_TRUE(says(run_it(false, seed), "races on A[0]")) << "seed " << seed;
  }
}

TEST(Threads, blocks_have_no_barrier) {
  const Function f = on_threads("def main(A: T.Buffer((1,), \"int32\")):",
                                R"(    for bx in T.thread_binding(3, thread="blockIdx.x"):
        for tx in T.thread_binding(1, thread="threadIdx.x"):
            A[0] = T.Cast("int32", bx)
            T.barrier("shared")
)");
  EXPECT_TRUE(says(error_of([&] { run(f, {zeros(int32, {1})}); }), "no barrier joins blocks"));
}

TEST(Threads, a_barrier_in_divergent_code_is_reported) {
  const Function f = on_threads("def main():", R"(    for tx in T.thread_binding(8, thread="threadIdx.x"):
        if tx < 5:
            T.barrier("shared")
)");
  const std::string sentence = error_of([&] { run(f, {}); });
  EXPECT_TRUE(
      says(sentence,
           "the barrier `T.barrier(\"shared\")` is reached by thread (threadIdx.x = 0) but not by thread "
           "(threadIdx.x = 5), which has finished"));
  const Function two = on_threads("def main():", R"(    for tx in T.thread_binding(8, thread="threadIdx.x"):
        if tx < 5:
            T.barrier("shared")
        else:
            T.barrier("shared")
)");
  EXPECT_TRUE(says(error_of([&] { run(two, {}); }), "every thread of the block must reach the same barrier"));
}

TEST(Threads, a_warp_barrier_joins_a_warp_only) {
  // Neighbours inside a warp of 32 exchange through a warp barrier; the same across the warps races.
  const auto exchange = [](const std::string& neighbour) {
    const Function f = on_threads("def main(B: T.Buffer((64,), \"int32\")):",
                                  R"(    S = T.allocate([64], "int32", "global")
    S_1 = T.Buffer((64,), "int32", data=S)
    for tx in T.thread_binding(64, thread="threadIdx.x"):
        S_1[tx] = T.Cast("int32", tx)
        T.barrier("warp")
        B[tx] = S_1[)" + neighbour + "]\n");
    const runtime::Array b = zeros(int32, {64});
    const std::string sentence = error_of([&] { run(f, {b}, {.seed = 3}); });
    return sentence.empty() ? std::to_string(b.get_int(40)) : sentence;
  };
  EXPECT_EQ(exchange("tx // 32 * 32 + (tx + 5) % 32"), "45");
  const std::string sentence = exchange("(tx + 32) % 64");
  EXPECT_TRUE(sentence.find("a barrier is missing") != std::string::npos ||
              sentence.find("never written") != std::string::npos)
      << sentence;
}

TEST(Threads, memory_belongs_to_its_scope) {
  // A local value is each thread's own, a warp's cell is shared by 32 threads, a shared one by the block.
  const Function f = on_threads("def main(B: T.Buffer((64,), \"int32\")):",
                                R"(    for tx in T.thread_binding(64, thread="threadIdx.x"):
        L = T.allocate([1], "int32", "local")
        L_1 = T.Buffer((1,), "int32", data=L, scope="local")
        W = T.allocate([1], "int32", "warp")
        W_1 = T.Buffer((1,), "int32", data=W, scope="warp")
        S = T.allocate([1], "int32", "shared")
        S_1 = T.Buffer((1,), "int32", data=S, scope="shared")
        L_1[0] = T.Cast("int32", tx)
        if tx % 32 == 4:
            W_1[0] = T.Cast("int32", tx) * 100
        if tx == 50:
            S_1[0] = 100000
        T.barrier("shared")
        B[tx] = S_1[0] + W_1[0] + L_1[0]
)");
  const runtime::Array b = zeros(int32, {64});
  run(f, {b}, {.seed = 11});
  for (std::int64_t t = 0; t < 64; ++t) EXPECT_EQ(b.get_int(t), 100000 + (t / 32 * 32 + 4) * 100 + t);
  const Function global =
      on_threads("def main():", R"(    for tx in T.thread_binding(2, thread="threadIdx.x"):
        G = T.allocate([1], "int32", "global")
        T.evaluate(0)
)");
  EXPECT_TRUE(says(error_of([&] { run(global, {}); }), "G is allocated in scope \"global\" inside a launch"));
}

TEST(Threads, shared_memory_in_a_loop_is_fresh_each_time_and_the_same_for_all) {
  const Function f = on_threads("def main(B: T.Buffer((3, 8), \"int32\")):",
                                R"(    for tx in T.thread_binding(8, thread="threadIdx.x"):
        for k in range(3):
            S = T.allocate([8], "int32", "shared")
            S_1 = T.Buffer((8,), "int32", data=S, scope="shared")
            S_1[tx] = T.Cast("int32", k * 8 + tx)
            T.barrier("shared")
            B[k, tx] = S_1[7 - tx]
)");
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const runtime::Array b = zeros(int32, {3, 8});
    run(f, {b}, {.seed = seed});
    for (std::int64_t i = 0; i < 24; ++i) ASSERT_EQ(b.get_int(i), i / 8 * 8 + 7 - i % 8) << "seed " << seed;
  }
}

TEST(Threads, that_never_meet_still_share_their_memory) {
  // No barrier: one thread has left the allocation before the next one enters it.
  const Function f = on_threads("def main():", R"(    for tx in T.thread_binding(4, thread="threadIdx.x"):
        S = T.allocate([1], "int32", "shared")
        S_1 = T.Buffer((1,), "int32", data=S, scope="shared")
        S_1[0] = 1
)");
  EXPECT_TRUE(says(error_of([&] { run(f, {}); }), "a write races on S_1[0]"));
}

TEST(Threads, nested_thread_loops_are_one_block_with_x_fastest) {
  // The threads (x, y) with x + 8·y in one group of 32 share a warp.
  const Function f = on_threads("def main(B: T.Buffer((8, 8), \"int32\")):",
                                R"(    for ty in T.thread_binding(8, thread="threadIdx.y"):
        for tx in T.thread_binding(8, thread="threadIdx.x"):
            W = T.allocate([1], "int32", "warp")
            W_1 = T.Buffer((1,), "int32", data=W, scope="warp")
            if tx == 0 and ty % 4 == 0:
                W_1[0] = T.Cast("int32", ty) + 1
            T.barrier("warp")
            B[ty, tx] = W_1[0]
)");
  const runtime::Array b = zeros(int32, {8, 8});
  run(f, {b}, {.seed = 5});
  for (std::int64_t i = 0; i < 64; ++i) EXPECT_EQ(b.get_int(i), i < 32 ? 1 : 5);
}

TEST(Threads, sibling_loops_of_one_tag_are_the_same_threads) {
  const std::string first = R"(    for bx in T.thread_binding(2, thread="blockIdx.x"):
        for tx in T.thread_binding(8, thread="threadIdx.x"):
            A[bx, tx] = 1
)";
  const auto second = [&](const std::string& extent, const std::string& index) {
    return on_threads("def main(A: T.Buffer((2, 8), \"int32\")):",
                      first + "        for tx in T.thread_binding(" + extent +
                          ", thread=\"threadIdx.x\"):\n            A[bx, " + index + "] = A[bx, " + index +
                          "] + 1\n");
  };
  const runtime::Array a = zeros(int32, {2, 8});
  run(second("8", "tx"), {a});
  EXPECT_EQ(elements(a), Numbers(16, 2));
  EXPECT_TRUE(says(error_of([&] { run(second("8", "7 - tx"), {a}); }), "races on A["));
  EXPECT_TRUE(says(error_of([&] { run(second("4", "tx"), {a}); }),
                   "threadIdx.x has extent 4 here but 8 in another loop"));
}

TEST(Threads, launches_end_before_what_follows) {
  const Function f = on_threads("def main(A: T.Buffer((8,), \"int32\"), B: T.Buffer((8,), \"int32\")):",
                                R"(    for tx in T.thread_binding(8, thread="threadIdx.x"):
        A[tx] = T.Cast("int32", tx)
    for tx in T.thread_binding(8, thread="threadIdx.x"):
        B[tx] = A[7 - tx]
)");
  const runtime::Array b = zeros(int32, {8});
  run(f, {zeros(int32, {8}), b});
  EXPECT_EQ(elements(b), (Numbers{7, 6, 5, 4, 3, 2, 1, 0}));
}

TEST(Threads, an_error_of_one_thread_ends_the_launch_and_names_it) {
  const Function f = on_threads("def main(A: T.Buffer((8,), \"int32\")):",
                                R"(    for tx in T.thread_binding(9, thread="threadIdx.x"):
        T.barrier("shared")
        A[tx] = 1
)");
  const std::string sentence = error_of([&] { run(f, {zeros(int32, {8})}); });
  EXPECT_TRUE(says(sentence, "writes A[8], but index 1 must be in [0, 8)"));
  EXPECT_TRUE(says(sentence, "on thread (threadIdx.x = 8)"));
}

TEST(Threads, a_barrier_in_serial_thread_loops_and_one_of_no_scope_are_reported) {
  const Function f = program(
      "def main():\n    for tx in T.thread_binding(2, thread=\"threadIdx.x\"):\n        "
      "T.barrier(\"shared\")\n");
  EXPECT_TRUE(says(error_of([&] { run(f, {}); }), "give the function the attribute \"concurrent_threads\""));
  const Function g =
      on_threads("def main():",
                 "    for tx in T.thread_binding(2, thread=\"threadIdx.x\"):\n        T.barrier(\"moon\")\n");
  EXPECT_TRUE(
      says(error_of([&] { run(g, {}); }), "T.barrier(\"moon\"): the scope must be \"shared\" or \"warp\""));
}

TEST(Threads, a_block_of_too_many_threads_is_reported) {
  const Function f =
      on_threads("def main():",
                 "    for tx in T.thread_binding(1025, thread=\"threadIdx.x\"):\n        T.evaluate(0)\n");
  EXPECT_TRUE(says(error_of([&] { run(f, {}); }), "a launch of 1 blocks of 1025 threads"));
}

}  // namespace
}  // namespace ardea::interp
