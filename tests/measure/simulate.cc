#include "ardea/measure/simulate.h"

#include <gtest/gtest.h>

#include "ardea/ir/parse.h"
#include "ardea/measure/check.h"
#include "ardea/measure/inputs.h"

namespace ardea::measure {
namespace {

target::Target vta() { return target::find("vta-out32"); }

/// So many tiles of A into the scratchpad, at a distance in memory; then as many products with one tile of
/// weights. `ahead` tells whether all loads come before the first product, or each before its own.
std::string products(int tiles, int distance, const std::string& order) {
  return fmt::format(R"(
@T.prim_func
def products(A: T.Buffer(({0}, {1}, 16), "int8"), B: T.Buffer((16, 16), "int8"), C: T.Buffer(({0}, 16), "int32")):
    inp = T.alloc_buffer(({0}, 16), "int8", scope="vta.inp")
    wgt = T.alloc_buffer((16, 16), "int8", scope="vta.wgt")
    acc = T.alloc_buffer(({0}, 16), "int32", scope="vta.acc")
    T.tensor_instruction("vta.load_wgt", T.address_of(wgt[0, 0]), T.address_of(B[0, 0]))
{2}
)",
                     tiles, distance, order);
}

const char* all_ahead = R"(    for i in range({n}):
        T.tensor_instruction("vta.load_inp", T.address_of(inp[i, 0]), T.address_of(A[i, 0, 0]))
    for i in range({n}):
        T.tensor_instruction("vta.reset", T.address_of(acc[i, 0]))
        T.tensor_instruction("vta.gemm", T.address_of(acc[i, 0]), T.address_of(inp[i, 0]), T.address_of(wgt[0, 0]))
    for i in range({n}):
        T.tensor_instruction("vta.store_i32", T.address_of(C[i, 0]), T.address_of(acc[i, 0]))
)";

const char* one_place = R"(    for i in range({n}):
        T.tensor_instruction("vta.load_inp", T.address_of(inp[0, 0]), T.address_of(A[i, 0, 0]))
        T.tensor_instruction("vta.reset", T.address_of(acc[i, 0]))
        T.tensor_instruction("vta.gemm", T.address_of(acc[i, 0]), T.address_of(inp[0, 0]), T.address_of(wgt[0, 0]))
    for i in range({n}):
        T.tensor_instruction("vta.store_i32", T.address_of(C[i, 0]), T.address_of(acc[i, 0]))
)";

std::string with(std::string text, int n) {
  for (std::size_t at; (at = text.find("{n}")) != std::string::npos;) text.replace(at, 3, std::to_string(n));
  return text;
}

SimulatedRun simulated(const std::string& text) {
  const Function f = parse_function(text);
  const std::vector<interp::Argument> arguments = make_arguments(f, {.seed = 3});
  return simulate(f, vta(), arguments);
}

TEST(SimulatedRun, of_what_waits_for_nothing_is_the_sum_of_its_parts) {
  const SimulatedRun run = simulated(products(4, 1, with(all_ahead, 4)));
  ASSERT_EQ(run.engines.size(), 3u);
  const auto& [load, compute, store] = std::tie(run.engines[0], run.engines[1], run.engines[2]);
  // One box of weights, one of the four tiles of A, which lie side by side.
  EXPECT_EQ(load.boxes, 2);
  EXPECT_EQ(load.bytes, 256 + 4 * 16);
  EXPECT_EQ(load.busy_cycles, 32 + 256 / 8 + 32 + 4 * 16 / 8);
  EXPECT_EQ(compute.instructions, 8);
  EXPECT_EQ(compute.busy_cycles, 8);
  EXPECT_EQ(store.boxes, 1);
  EXPECT_EQ(store.busy_cycles, 32 + 4 * 64 / 8);
  // The loads end at 104, with a tile every two cycles from 98 on: the last product waits for the last tile,
  // and the first result leaves while others are made.
  EXPECT_EQ(run.cycles, 99 + 32 + 4 * 8);
  EXPECT_EQ(run.seconds, run.cycles / 100e6);
  EXPECT_EQ(run.host_accesses, 0);
}

TEST(SimulatedRun, waits_until_a_place_was_read_before_it_is_filled_again) {
  const SimulatedRun ahead = simulated(products(6, 1, with(all_ahead, 6))),
                     in_turn = simulated(products(6, 1, with(one_place, 6)));
  EXPECT_GT(in_turn.cycles, ahead.cycles);
  EXPECT_EQ(in_turn.engines[0].boxes, 1 + 6);  // the place in the scratchpad does not move on
  // The products stand between the loads: a latency, two cycles of copying and one product each.
  EXPECT_GE(in_turn.cycles, 32 + 32 + 6 * (32 + 2 + 1));
}

TEST(SimulatedRun, takes_tiles_at_equal_distances_as_one_copy) {
  EXPECT_EQ(simulated(products(5, 3, with(all_ahead, 5))).engines[0].boxes, 2);
  // Tiles 0, 1, 3: the last is at another distance.
  const SimulatedRun uneven = simulated(products(4, 1, R"(    for i in range(3):
        T.tensor_instruction("vta.load_inp", T.address_of(inp[i, 0]), T.address_of(A[i * 2 - i // 2, 0, 0]))
    for i in range(4):
        for j in range(16):
            C[i, j] = 7
)"));
  EXPECT_EQ(uneven.engines[0].boxes, 1 + 2);
  EXPECT_EQ(uneven.host_accesses, 4 * 16);
}

TEST(SimulatedRun, says_what_a_record_lacks) {
  const Function f = parse_function(products(1, 1, with(all_ahead, 1)));
  const auto message = [&](const target::Target& target) {
    try {
      simulate(f, target, make_arguments(f, {}));
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string("nothing");
  };
  EXPECT_EQ(message(target::find("generic-x86_64")),
            "simulate: generic-x86_64 is no accelerator; time it on the machine itself");
  target::Target slow = vta();
  slow.accelerator->cycles_per_second.reset();
  EXPECT_NE(message(slow).find("cycles_per_second"), std::string::npos);
  slow = vta();
  slow.accelerator->copy_engines[0].latency_cycles.reset();
  EXPECT_NE(message(slow).find("latency_cycles"), std::string::npos);
}

}  // namespace
}  // namespace ardea::measure
