#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>

#include "ardea/arith/load.h"
#include "ardea/lower/pipeline.h"
#include "ardea/rules/program_space.h"
#include "ardea/schedule/program/tree.h"
#include "tests/rules/answers.h"
#include "tests/rules/laws.h"
#include "tests/support/sampled.h"

/// Products, and what is made of their sums element by element, by several stages.

namespace ardea::rules {

namespace {

struct Ended {
  const char* name;
  std::string stages;  ///< that make E of C, with what they allocate
  const char* target;
  const char *made = "E", *kept = "";  ///< what is made in registers, and what stays in memory
};

std::ostream& operator<<(std::ostream& out, const Ended& ended) { return out << ended.name; }

/// `made` of the element `[x, y]`, for all elements.
std::string stage(const std::string& made, const std::string& value) {
  return "    for i, j in T.grid(29, 19):\n        with T.block(\"" + made +
         "\"):\n            x, y = T.axis.remap(\"SS\", [i, j])\n            " + made + "[x, y] = " + value +
         "\n";
}

Function product_with(const std::string& stages) {
  return arith::load_program(R"(@T.prim_func
def main(A: T.Buffer((29, 13), "float32"), B: T.Buffer((13, 19), "float32"), V: T.Buffer((19,), "float32"), W: T.Buffer((29, 19), "float32"), E: T.Buffer((29, 19), "float32"), X: T.Buffer((29, 19), "float32")):
    C = T.alloc_buffer((29, 19), "float32")
    D = T.alloc_buffer((29, 19), "float32")
    F = T.alloc_buffer((29, 19), "float32")
    for i, j, k in T.grid(29, 19, 13):
        with T.block("C"):
            x, y, z = T.axis.remap("SSR", [i, j, k])
            with T.init():
                C[x, y] = T.float32(0)
            C[x, y] = C[x, y] + A[x, z] * B[z, y]
)" + stages,
                             "product")
      .functions[0];
}

bool makes_in_registers(const Sketch& sketch, const std::string& made) {
  return std::any_of(sketch.ways.begin(), sketch.ways.end(), [&](const Way& way) {
    return way.question == made + " made of C in registers" && way.answers[way.taken] == "yes";
  });
}

/// Whether the program has memory for a buffer of the name, beyond registers.
bool keeps_in_memory(const Function& program, const std::string& name) {
  for (const schedule::Path& path : schedule::all_blocks(program))
    for (const auto* regions : {&path.block().reads, &path.block().writes})
      for (const BufferRegion& region : **regions)
        if (region.buffer->name == name && region.buffer->scope == "global") return true;
  return false;
}

class EndedProducts : public testing::TestWithParam<Ended> {};

TEST_P(EndedProducts, have_results_made_where_sums_leave_the_registers) {
  const target::Target target = target::find(GetParam().target);
  const Function program = product_with(GetParam().stages);
  const Answers answers(program);
  const ProgramSpace space = program_space(program, target, rules_for(target));
  for (const LeftOut& out : space.left_out) ADD_FAILURE() << to_string(out.ways) << ": " << out.reason;
  int fused = 0;
  for (const auto& [sketch, solver] : space.sketches) {
    if (!makes_in_registers(sketch, GetParam().made)) continue;
    ++fused;
    for (const space::Point& point : solver->sample(1, 3).points) {
      SCOPED_TRACE(in_words(sketch, point));
      answers.expect_of(lower::lower_unpacked(replayed_by_the_law(sketch, point), target));
    }
  }
  EXPECT_GT(fused, 0);
  const Function model = model_schedule(program, target, rules_for(target))->schedule.program();
  for (const std::string name : {"C", "D", "F"})
    EXPECT_EQ(keeps_in_memory(model, name), GetParam().kept == name) << name;
  answers.expect_of(lower::lower_unpacked(model, target));
}

const std::string biased = stage("D", "C[x, y] + V[y]");

INSTANTIATE_TEST_SUITE_P(
    All, EndedProducts,
    testing::ValuesIn(test::sampled<Ended>(
        2, {Ended{"one_stage", stage("E", "T.max(C[x, y] + W[x, y], T.float32(0))"), "neoverse-v1"},
            Ended{"two_stages", biased + stage("E", "T.max(D[x, y], T.float32(0))"), "neoverse-v1"},
            Ended{"three_stages",
                  biased + stage("F", "D[x, y] * W[x, y]") + stage("E", "F[x, y] * F[x, y] + T.float32(1)"),
                  "avx2"},
            Ended{"two_stages_generic", biased + stage("E", "T.exp(D[x, y])"), "generic-x86_64"},
            // What the first stage makes is read by two others, and lies in memory.
            Ended{"read_twice",
                  biased + stage("E", "T.max(D[x, y], T.float32(0))") + stage("X", "D[x, y] - E[x, y]"),
                  "avx2", "D", "D"}})),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace

}  // namespace ardea::rules
