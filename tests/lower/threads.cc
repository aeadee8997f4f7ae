#include <gtest/gtest.h>

#include "ardea/arith/verify.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/print.h"
#include "ardea/ir/substitute.h"
#include "ardea/lower/gpu/split_kernels.h"
#include "ardea/lower/notes.h"
#include "ardea/lower/pipeline.h"
#include "tests/lower/finished_kernels.h"
#include "tests/support/sampled.h"
#include "thread_answers.h"
#include "thread_programs.h"

/// Lowering for GPUs: after every pass the answers are those of the program whose threads run one after the
/// other, in whatever order threads run; and the interpreter misses every barrier that is taken away.

namespace ardea::lower {

namespace {

class ThreadPasses : public ::testing::TestWithParam<ThreadProgram> {};

TEST_P(ThreadPasses, keep_the_meaning_in_every_order_of_threads) {
  const ThreadAnswers answers(GetParam().program, 20261117);
  Function f = answers.program();
  for (const Pass& pass : pipeline(gpu())) {
    const Function before = f;
    f = pass.run(f, gpu());
    for (const arith::Violation& v : arith::verify(f))
      ADD_FAILURE() << pass.name << ": " << v.law << ": " << v.message << "\n" << print(f);
    for (std::uint64_t order = 0; order < 3; ++order)
      ASSERT_EQ(answers.fault_of(f, order), "") << pass.name << ", order " << order << "\nbefore:\n"
                                                << print(before) << "after:\n"
                                                << print(f);
  }
}

TEST_P(ThreadPasses, leave_the_barriers_that_it_takes_and_no_other) {
  const ThreadAnswers answers(GetParam().program, 20261117);
  const Function f = lower_until(answers.program(), gpu(), "drop_barriers");
  EXPECT_EQ(barriers_in(f), GetParam().barriers) << print(f);
  for (int number = 0; number < barriers_in(f); ++number) {
    const Function less = without_barrier(f, number);
    for (std::uint64_t order = 0; order < 3; ++order)
      // Some stand between memory that only ends up in the same bytes.
      EXPECT_FALSE(answers.fault_of(less, order).empty() &&
                   answers.fault_of(finished(less, "drop_barriers", gpu()), order).empty())
          << "nobody misses barrier " << number << " in order " << order << " of\n"
          << print(f);
  }
}

TEST(SharedMemory, whose_rows_are_too_short_for_a_swizzle_is_spoken_of) {
  int refused = 0, swizzled = 0;
  for (const ThreadProgram& one : thread_programs()) {
    if (one.program.name.find("swizzle") == std::string::npos) continue;
    const std::vector<std::string> sentences = notes(lower(ThreadAnswers(one.program, 1).program(), gpu()));
    const bool is_refused = one.program.name == "swizzle_without_room";
    ASSERT_EQ(sentences.size(), is_refused ? 1U : 0U) << one.program.name;
    for (const std::string& sentence : sentences)
      EXPECT_NE(sentence.find("the rows of S lie as they are"), std::string::npos) << sentence;
    (is_refused ? refused : swizzled) += 1;
  }
  EXPECT_EQ(refused, 1);
  EXPECT_EQ(swizzled, 2);
}

TEST(SharedMemory, that_is_needed_in_turn_lies_in_the_same_bytes) {
  for (const ThreadProgram& one : thread_programs()) {
    if (one.program.name != "memory_in_turn") continue;
    const SplitProgram split = split_kernels(lower(function_of(one.program), gpu()), gpu());
    EXPECT_EQ(split.kernels.at(0).shared_bytes, 20 * 4);
    return;
  }
  ADD_FAILURE() << "there is no such program";
}

TEST_P(ThreadPasses, end_in_kernels_and_a_host_that_launches_them) {
  const ThreadAnswers answers(GetParam().program, 7);
  const SplitProgram split = split_kernels(lower(answers.program(), gpu()), gpu());
  EXPECT_FALSE(holds_launch_loop(split.host.body));
  EXPECT_EQ(answers.fault_of(joined(split), 1), "") << print(split.host);
  for (const Kernel& kernel : split.kernels) {
    // Nothing but its arguments, in memory that does not overlap.
    const std::vector<Var> needed = free_variables(statement_of(kernel.launch));
    EXPECT_LE(needed.size(), kernel.arguments.size() + kernel.shared.size());
    std::int64_t end = 0;
    for (const SharedBuffer& memory : kernel.shared) end = std::max(end, memory.end_byte());
    EXPECT_EQ(kernel.shared_bytes, end);
  }
}

/// Of a pipeline of shared memory: one barrier an iteration, because the copy writes another version than the
/// one that is read beside it, and one before the loop for what fills it.
TEST(Barriers, of_a_pipeline_keep_its_stages_beside_each_other) {
  for (const ThreadProgram& one : thread_programs()) {
    if (one.program.name != "double_buffer") continue;
    const Function f = lower_until(function_of(one.program), gpu(), "drop_barriers");
    int in_loop = 0;
    visit_stmts(f.body, [&](const Stmt& s) {
      const auto* loop = s.as<For>();
      if (loop == nullptr || is_launch_loop(*loop)) return;
      visit_stmts(loop->body, [&](const Stmt& part) { in_loop += is_block_barrier(part) ? 1 : 0; });
    });
    EXPECT_EQ(in_loop, 1) << print(f);
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, ThreadPasses, ::testing::ValuesIn(test::sampled(2, thread_programs())),
                         [](const auto& info) { return info.param.program.name; });

/// What lowering says to the program with that body.
std::string refused_threads(const std::string& body) {
  try {
    lower(function_of("@T.prim_func\ndef f(X: T.Buffer((8,), \"int32\"), Y: T.Buffer((8,), \"int32\")):\n" +
                      body),
          gpu());
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(ThreadRefusals, say_what_is_wrong_and_what_to_do) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {R"(    for i in range(8):
        Y[i] = X[i]
)",
       "lower f: `Y[i] = X[i]` stands in no loop that is bound to threads, and target h200 computes nothing "
       "outside of them; bind a loop around it, as by sch.bind(loop, \"blockIdx.x\")"},
      {R"(    for i in T.thread_binding(7, thread="threadIdx.x"):
        Y[i] = Y[i + 1]
)",
       "lower f: iterations of loop i, bound to threadIdx.x, may touch the same memory, it is not proved "
       "that "
       "they do not: Y[i] and Y[i + 1]; bind another loop, or give each iteration memory of its own"},
      {R"(    for i in T.thread_binding(2, thread="threadIdx.x"):
        for j in T.thread_binding(4, thread="blockIdx.x"):
            Y[i * 4 + j] = X[i * 4 + j]
)",
       "lower f: loop j, bound to blockIdx.x, stands inside of other work of its launch, but blocks of "
       "threads "
       "cannot wait for each other; reorder the loops bound to blockIdx outside of all others, or cut the "
       "nest "
       "in two"},
      {R"(    for b in T.thread_binding(1, thread="blockIdx.x"):
        L = T.allocate([8], "int32", "local")
        L_1 = T.Buffer((8,), "int32", data=L, scope="local")
        for t in T.thread_binding(8, thread="threadIdx.x"):
            L_1[t] = X[t]
        for t in T.thread_binding(8, thread="threadIdx.x"):
            Y[t] = L_1[7 - t]
)",
       "lower f: it is not proved that each thread reads of L, in scope \"local\", only what it wrote "
       "itself; use "
       "scope \"shared\" where threads exchange values"},
      {R"(    for x in T.thread_binding(2, thread="threadIdx.x"):
        for y in T.thread_binding(2, thread="threadIdx.y"):
            for z in T.thread_binding(2, thread="threadIdx.x"):
                Y[x * 4 + y * 2 + z] = 1
)",
       "lower f: loop z is bound to threadIdx.x inside of another loop that is; put it beside that one, or "
       "bind "
       "it to another axis"},
      {R"(    for x in T.thread_binding(4, thread="threadIdx.x"):
        for k in range(x):
            for y in T.thread_binding(2, thread="threadIdx.y"):
                Y[x * 2 + y] = X[k]
)",
       "lower f: loop k has loops over threads inside and a length, x, that is not the same for all of them, "
       "so "
       "that they cannot wait for each other; bind loops outside of it only"},
      {R"(    for b in T.thread_binding(1, thread="blockIdx.x"):
        if X[0] > 1:
            for t in T.thread_binding(8, thread="threadIdx.x"):
                Y[t] = 1
)",
       "lower f: the condition X[0] > 1 has loops over threads inside and reads memory, which they may "
       "change; "
       "put it inside of them"},
      {R"(    for b in T.thread_binding(8, thread="blockIdx.x"):
        W = T.allocate([1], "int32", "global")
        W_1 = T.Buffer((1,), "int32", data=W)
        W_1[0] = X[b]
        Y[b] = W_1[0]
)",
       "lower f: W is allocated in scope global by threads, which can allocate in \"shared\" and \"local\"; "
       "choose "
       "one of them, or use it outside of their loops, too"},
      {R"(    for x in T.thread_binding(1024, thread="threadIdx.x"):
        for y in T.thread_binding(2, thread="threadIdx.y"):
            if x * 2 + y < 8:
                Y[x * 2 + y] = 1
)",
       "lower f: a block of its launch has 2048 threads, target h200 has 1024 in a block"},
      {R"(    T.func_attr({"concurrent_threads": T.bool(True)})
    for x in T.thread_binding(8, thread="threadIdx.x"):
        Y[x] = 1
)",
       "lower f: its threads run concurrently already; give target h200 the program of blocks, whose threads "
       "it "
       "synchronises itself"},
  };
  for (const auto& [body, sentence] : cases) EXPECT_EQ(refused_threads(body), sentence) << body;
}

}  // namespace

}  // namespace ardea::lower
