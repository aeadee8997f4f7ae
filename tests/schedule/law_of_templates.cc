#include <gtest/gtest.h>

#include "ardea/ir/equal.h"
#include "ardea/ir/print.h"
#include "ardea/schedule/canon.h"
#include "tests/schedule/templates.h"

namespace ardea::schedule::testing {
namespace {

class LawOfTemplates : public ::testing::TestWithParam<std::size_t> {
 protected:
  const Template& subject() const { return templates()[GetParam()]; }
};

/// What is posted holds for the numbers, and the replay is the template with these numbers.
void expect_law(const Template& t, const Symbolic& made, const Assignment& numbers) {
  std::vector<std::pair<Var, std::int64_t>> values;
  for (const auto& [name, var] : made.variables) values.emplace_back(var, numbers.at(name));
  const Function expected = canon(with_numbers(made.program, values));
  Replayed replayed;
  try {
    replayed = replay(t, numbers);
  } catch (const Error& error) {
    FAIL() << t.name << " is refused at " << to_string(numbers) << "\n" << error.what();
  }
  EXPECT_EQ(made.results, replayed.results) << t.name << " at " << to_string(numbers);
  const Function actual = canon(replayed.program);
  const std::string difference = first_difference(expected, actual);
  ASSERT_EQ(difference, "") << t.name << " at " << to_string(numbers) << "\n"
                            << "symbolic:\n"
                            << print(expected) << "\nreplayed:\n"
                            << print(actual);
}

TEST_P(LawOfTemplates, numbers_put_in_give_the_replay_with_these_numbers) {
  const Template& t = subject();
  const Symbolic made = symbolic(t);
  Random random(GetParam());
  std::size_t tested = 0;
  for (const Edge edge : {Edge::one, Edge::whole, Edge::not_dividing, Edge::none})
    for (int i = 0; i < 50; ++i) {
      const Assignment numbers = random_assignment(t, edge, random);
      ASSERT_TRUE(fulfils(made, numbers)) << to_string(numbers);
      expect_law(t, made, numbers);
      if (HasFatalFailure()) return;
      ++tested;
    }
  EXPECT_EQ(tested, 200U);
}

INSTANTIATE_TEST_SUITE_P(All, LawOfTemplates, ::testing::Range<std::size_t>(0, templates().size()));

}  // namespace
}  // namespace ardea::schedule::testing
