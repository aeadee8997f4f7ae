#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "ardea/arith/load.h"
#include "ardea/lower/limits_of.h"
#include "ardea/target/target.h"

/// What programs take of machines that are not CPUs: memory that scopes share, threads, warps, registers.

namespace ardea::limits {

namespace {

/// By name, with what the machine has of it (-1: no limit).
std::map<std::string, std::pair<std::int64_t, std::int64_t>> taken(const std::string& body,
                                                                   const std::string& machine) {
  const Function f =
      arith::load_program("@T.prim_func\ndef main(X: T.Buffer((4096,), \"int32\")):\n" + body, "main.tir")
          .functions[0];
  const target::Target target = target::find(machine);
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> all;
  for (const Bound& bound : bounds_of(lower::limits_of(f, target), target))
    all[bound.name] = {value_at(bound.taken, {}).value_or(-2), bound.available.value_or(-1)};
  return all;
}

/// The first `count` elements pass through a buffer.
std::string through(const std::string& name, int count, const std::string& indent) {
  return fmt::format(R"({0}for i in range({2}):
{0}    with T.block("{1}_in"):
{0}        v = T.axis.spatial({2}, i)
{0}        {1}[v] = X[v]
{0}for i in range({2}):
{0}    with T.block("{1}_out"):
{0}        v = T.axis.spatial({2}, i)
{0}        X[v] = {1}[v]
)",
                     indent, name, count);
}

std::string allocated(const std::string& name, const std::string& scope, int count) {
  return fmt::format("    {} = T.alloc_buffer(({},), \"int32\", scope=\"{}\")\n", name, count, scope);
}

using Of = std::pair<std::int64_t, std::int64_t>;

TEST(Machines, scopes_of_one_shared_memory_count_in_sum) {
  // Both are live while A is copied through B.
  const std::string body = allocated("A", "shared", 1000) + allocated("B", "shared.dyn", 500) + R"(
    for i in range(1000):
        with T.block("in"):
            v = T.axis.spatial(1000, i)
            A[v] = X[v]
    for i in range(500):
        with T.block("across"):
            v = T.axis.spatial(500, i)
            B[v] = A[v] + A[v + 500]
    for i in range(500):
        with T.block("out"):
            v = T.axis.spatial(500, i)
            X[v] = B[v] + A[v]
)";
  const auto all = taken(body, "t4");
  // Each begins on a multiple of 64 bytes.
  EXPECT_EQ(all.at("bytes of shared memory"), (Of{4032 + 2048, 64 * 1024}));
  EXPECT_EQ(all.at("bytes in shared").first, 4000);
  EXPECT_EQ(all.at("bytes in shared.dyn").first, 2000);
  EXPECT_EQ(taken(body, "a100").at("bytes of shared memory").second, 163 * 1024);
}

TEST(Machines, memory_that_is_not_live_together_does_not_add_up) {
  const std::string twice = "    for again in range(2):\n", indent = "        ";
  const std::string body = allocated("A", "shared", 1000) + allocated("B", "shared", 500) + twice +
                           through("A", 1000, indent) + twice + through("B", 500, indent);
  EXPECT_EQ(taken(body, "t4").at("bytes of shared memory").first, 4000);
}

TEST(Machines, memory_of_a_block_that_is_needed_in_turn_lies_in_the_same_bytes) {
  const std::string blocks = "    for b in T.thread_binding(1, thread=\"blockIdx.x\"):\n",
                    indent = "        ";
  const std::string shared = allocated("A", "shared", 1000) + allocated("B", "shared", 500),
                    first = through("A", 1000, indent), then = through("B", 500, indent);
  EXPECT_EQ(taken(shared + blocks + first + then, "h200").at("bytes of shared memory").first, 4032);
  // A again behind B: all that time it is needed.
  EXPECT_EQ(taken(shared + blocks + first + then + first, "h200").at("bytes of shared memory").first,
            4032 + 2048);
}

TEST(Machines, a_thread_has_its_own_registers_and_a_share_of_its_warps) {
  const std::string body = R"(    L = T.alloc_buffer((6,), "int32", scope="local")
    W = T.alloc_buffer((256,), "int32", scope="wmma.accumulator")
    for t in T.thread_binding(64, thread="threadIdx.x"):
        for i in range(6):
            with T.block("local"):
                v = T.axis.spatial(6, i)
                L[v] = X[v]
        for i in range(256):
            with T.block("fragment"):
                v = T.axis.spatial(256, i)
                W[v] = L[v % 6]
        for i in range(16):
            with T.block("out"):
                vt, v = T.axis.remap("SS", [t, i])
                X[vt * 16 + v] = W[v] + L[v % 6]
)";
  const auto all = taken(body, "v100");
  // 6 of its own, 256 elements over 32 threads.
  EXPECT_EQ(all.at("registers of a thread"), (Of{6 + 8, 255}));
  EXPECT_EQ(all.at("registers of a block"), (Of{14 * 64, 65536}));
  EXPECT_EQ(all.at("threads in a block"), (Of{64, 1024}));
  EXPECT_EQ(all.at("warps in a block"), (Of{2, 32}));
  EXPECT_FALSE(taken(body, "avx2").contains("registers of a thread"));
}

std::string by_virtual_threads(const std::string& scope) {
  return allocated("A", scope, 64) + R"(    for t in T.thread_binding(2, thread="vthread"):
        for i in range(32):
            with T.block("in"):
                vt, v = T.axis.remap("SS", [t, i])
                A[vt * 32 + v] = X[vt * 32 + v]
        for i in range(32):
            with T.block("out"):
                vt, v = T.axis.remap("SS", [t, i])
                X[vt * 32 + v] = A[vt * 32 + v] + 1
)";
}

TEST(Machines, virtual_threads_have_their_memory_at_the_same_time) {
  // Each needs 32 elements.
  const auto vta = taken(by_virtual_threads("vta.acc"), "vta");
  EXPECT_EQ(vta.at("bytes in vta.acc"), (Of{2 * 32 * 4, 131072}));
  EXPECT_EQ(vta.at("virtual threads"), (Of{2, 2}));
  EXPECT_EQ(taken(by_virtual_threads("shared"), "h100").at("bytes of shared memory").first, 2 * 32 * 4);
  // A CPU runs them one after the other.
  EXPECT_EQ(taken(by_virtual_threads("vta.acc"), "avx2").at("bytes in vta.acc"), (Of{32 * 4, -1}));
}

TEST(Machines, nested_virtual_threads_multiply) {
  const std::string body = R"(    for s in T.thread_binding(2, thread="vthread"):
        for t in T.thread_binding(3, thread="vthread"):
            with T.block("one"):
                vs, vt = T.axis.remap("SS", [s, t])
                X[vs * 3 + vt] = 1
    for t in T.thread_binding(4, thread="vthread"):
        with T.block("two"):
            vt = T.axis.remap("S", [t])
            X[vt + 6] = 1
)";
  EXPECT_EQ(taken(body, "vta").at("virtual threads"), (Of{6, 2}));
}

TEST(Machines, an_accelerator_has_no_other_scratchpads_than_its_record_says) {
  const auto all = taken(by_virtual_threads("shared"), "vta");
  EXPECT_EQ(all.at("bytes in shared"), (Of{256, 0}));
  EXPECT_EQ(taken(by_virtual_threads("scratchpad.mine"), "vta").at("bytes in scratchpad.mine").second, 0);
  EXPECT_EQ(taken(by_virtual_threads("vta.inp"), "vta").at("bytes in vta.inp"), (Of{256, 32768}));
}

}  // namespace

}  // namespace ardea::limits
