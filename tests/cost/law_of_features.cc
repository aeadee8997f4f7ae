#include <gtest/gtest.h>

#include "ardea/cost/program_features.h"
#include "ardea/ops/registry.h"
#include "ardea/rules/program_space.h"
#include "ardea/schedule/canon.h"

/// The law of features: those of a sketch, computed at a point, are those of the program that the point is.

namespace ardea::cost {
namespace {

void keeps_the_law(const std::string& op, const std::string& sizes, const std::string& target_name,
                   std::size_t count, std::vector<DataType> in = {}, const std::vector<Feature>& but = {}) {
  SCOPED_TRACE(op + " " + sizes + " on " + target_name);
  const target::Target target = target::find(target_name);
  const Function program = ops::create_function(
      ops::make_workload({.op = op, .sizes = ops::parse_sizes(sizes), .in = std::move(in)}), "main");
  const rules::ProgramSpace space =
      rules::program_space(program, target, rules::rules_for(target), {.threads = 1});
  for (const rules::Choice& choice : space.sample(count, 1).choices) {
    const rules::Sketch& sketch = space.sketches[choice.sketch].sketch;
    std::vector<Var> parameters;
    std::vector<double> numbers;
    std::string text = "sketch " + std::to_string(choice.sketch);
    for (std::size_t i = 0; i < sketch.knobs.size(); ++i) {
      parameters.push_back(sketch.knobs[i].var);
      const auto number = choice.point[static_cast<std::size_t>(sketch.system.knobs()[i].index)];
      numbers.push_back(static_cast<double>(number));
      text += " " + sketch.knobs[i].var.name() + "=" + std::to_string(number);
    }
    SCOPED_TRACE(text);
    const auto symbolic = ProgramFeatures(sketch.symbolic, parameters, target, 2).at(numbers);
    const Function made = space.materialise(choice).program();
    for (const bool is_canonical : {false, true}) {
      const Function form = is_canonical ? schedule::canon(made) : made;
      const auto concrete = features_of(form, target, 2);
      for (std::size_t i = 0; i < feature_count; ++i) {
        if (std::find(but.begin(), but.end(), static_cast<Feature>(i)) != but.end()) continue;
        EXPECT_NEAR(symbolic[i], concrete[i], 1e-9 * std::abs(concrete[i]))
            << feature_names()[i]
            << (is_canonical ? " of the canonical form" : " of the program as it was made");
      }
    }
  }
}

TEST(LawOfFeatures, holds_for_products) {
  keeps_the_law("gemm", "60,48,50", "neoverse-v1", 12);
  keeps_the_law("gemm", "64,64,64", "skylake-avx512", 6);
}
TEST(LawOfFeatures, holds_for_products_with_epilogues) {
  keeps_the_law("gemm_bias_relu", "48,60,35", "neoverse-v1", 8);
}
TEST(LawOfFeatures, holds_for_convolutions) {
  keeps_the_law("c2d", "1,14,14,16,24,3,3,1,1,1", "neoverse-v1", 8);
  keeps_the_law("depthwise", "1,14,14,16,3,3,1,1", "neoverse-v1", 6);
}
TEST(LawOfFeatures, holds_for_rows) {
  keeps_the_law("softmax", "30,70", "neoverse-v1", 8);
  keeps_the_law("layernorm", "30,64", "neoverse-v1", 6);
}
/// Memory is not placed alike there: that panels are filled anew in each iteration is proved with numbers,
/// and not for all numbers, so that a sketch has them outside of the loop.
TEST(LawOfFeatures, holds_for_tensor_instructions_save_for_memory) {
  keeps_the_law("gemm", "32,48,64", "neoverse-v1", 6, {uint8, int8},
                {Feature::allocated_bytes, Feature::allocations, Feature::register_bytes,
                 Feature::bytes_touched, Feature::bytes_into_l1, Feature::bytes_into_l2,
                 Feature::bytes_into_l3, Feature::reuse_l1, Feature::reuse_l2, Feature::reuse_l3,
                 Feature::memory_cycles, Feature::overhead_cycles, Feature::cycles});
}

}  // namespace
}  // namespace ardea::cost
