#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "ardea/space/evaluate.h"
#include "ardea/space/gecode_model.h"
#include "ardea/space/parse.h"
#include "ardea/space/print.h"
#include "tests/space/random_system.h"

namespace ardea::space {
namespace {

using testing::all_solutions;
using testing::random_system;

TEST(Gecode, has_the_solutions_of_random_systems) {
  std::map<std::string, int> relaxed;
  int constraints = 0, left_out = 0;
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    Random random(seed);
    const System system = random_system(random);
    const Engine engine(system);
    const GecodeModel model(engine);
    ASSERT_EQ(model.all(1'000'000), all_solutions(system)) << "seed " << seed << "\n" << print(system);
    constraints += static_cast<int>(system.constraints().size());
    left_out += static_cast<int>(model.relaxed().size());
  }
  // Most is said to Gecode; the rest is checked afterwards.
  EXPECT_LT(left_out, constraints / 4);
}

TEST(Gecode, has_the_solutions_of_systems_with_more_constraints) {
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    Random random(seed);
    const System system = random_system(random);
    System more = system;
    std::vector<Constraint> extra;
    for (int i = 0; i < 2; ++i) {
      const Var v{
          static_cast<int>(random.integer(0, static_cast<std::int64_t>(system.variables().size()) - 1))};
      extra.push_back(
          system.canonical({"extra", "", {}, Member{v, Domain::range(-2, random.integer(-1, 9))}}));
      extra.push_back(system.canonical({"extra", "", {}, Divides{2, v}}));
    }
    for (const Constraint& constraint : extra) more.post(constraint);
    const Engine engine(system);
    const GecodeModel root(engine);
    ASSERT_EQ(root.with(extra).all(1'000'000), all_solutions(more)) << "seed " << seed << "\n" << print(more);
    ASSERT_EQ(root.all(1'000'000), all_solutions(system)) << "the root has changed";
  }
}

TEST(Gecode, leaves_out_what_does_not_fit_into_32_bits_and_checks_it) {
  const System system = parse(
      "knob a in 1..3000 knob b in 1..3000 knob c in 1..3000 define v = a * b * c define w = 5000000000 * a "
      "require r: v >= 26900000000 require s: v + w <= 15000000000000");
  const Engine engine(system);
  const GecodeModel model(engine);
  EXPECT_FALSE(model.relaxed().empty());
  EXPECT_EQ(model.all(1'000'000),
            all_solutions(parse("knob a in 2980..3000 knob b in 2980..3000 knob c in 2980..3000 define v = a "
                                "* b * c define w = 5000000000 * a "
                                "require r: v >= 26900000000 require s: v + w <= 15000000000000")));
  const System large = parse("knob a in 0..5000000000 require r: a % 7 == 3");
  EXPECT_EQ(GecodeModel::refusal(Engine(large)), "knob a has values beyond 32 bits: 3..4999999994");
}

TEST(Gecode, weighs_walks_by_their_probability) {
  const System system = parse("knob a in 1..24 knob b in 1..24 knob c in 1..24 require r: a * b * c == 24");
  const Engine engine(system);
  const GecodeModel model(engine);
  // Every walk's weight is Π of the choices: their mean is the number of solutions.
  Random random(3);
  double sum = 0, squares = 0;
  const int walks = 20000;
  for (int i = 0; i < walks; ++i) {
    const auto walk = model.walk(random);
    const double weight = walk ? walk->weight.in_units(0) : 0;
    sum += weight;
    squares += weight * weight;
  }
  const double mean = sum / walks, error = std::sqrt((squares / walks - mean * mean) / walks);
  EXPECT_NEAR(mean, static_cast<double>(all_solutions(system).size()), 4 * error);
  EXPECT_LT(error, 1);
}

}  // namespace
}  // namespace ardea::space
