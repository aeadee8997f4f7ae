#include <gtest/gtest.h>

#include "ardea/interp/interpreter.h"
#include "ardea/ir/equal.h"
#include "ardea/ir/parse.h"
#include "ardea/ir/print.h"
#include "ardea/ir/traverse.h"
#include "ardea/measure/check.h"
#include "ardea/measure/inputs.h"
#include "ardea/schedule/canon.h"
#include "tests/schedule/templates.h"
#include "tests/support/sampled.h"

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
    for (std::size_t i = 0; i < test::sampled_count(3, 50); ++i) {
      const Assignment numbers = random_assignment(t, edge, random);
      ASSERT_TRUE(fulfils(made, numbers)) << to_string(numbers);
      expect_law(t, made, numbers);
      if (HasFatalFailure()) return;
      ++tested;
    }
  EXPECT_EQ(tested, 4 * test::sampled_count(3, 50));
}

TEST_P(LawOfTemplates, the_canonical_form_computes_the_same) {
  const Template& t = subject();
  Random random(GetParam() + 100);
  for (const Edge edge : {Edge::one, Edge::whole, Edge::not_dividing, Edge::none}) {
    const Assignment numbers = random_assignment(t, edge, random);
    const auto before = measure::make_arguments(t.program, {.seed = 1});
    const auto after = measure::copy_arguments(before);
    interp::run(canon(replay(t, numbers).program), after);
    for (const measure::Comparison& c :
         measure::check(t.program, before, after, measure::Reference::interpreter).arguments)
      EXPECT_EQ(c.mismatches, 0) << t.name << " at " << to_string(numbers) << ": " << c.argument << " at "
                                 << c.index;
  }
}

/// The program with its number at that position, in the order of traversal, one larger.
Function with_changed_number(const Function& f, int position) {
  int seen = 0;
  Rewriter rewriter;
  rewriter.expr = [&](const Expr& e) -> std::optional<Expr> {
    const auto* number = e.as<IntImm>();
    if (number == nullptr || e.type() != int64) return std::nullopt;
    return seen++ == position ? std::optional(make_int(number->value + 1)) : std::nullopt;
  };
  return rewrite(f, rewriter);
}

TEST(Canon, tells_changed_programs_apart) {
  const Template& t = templates()[0];
  const Function program = canon(
      replay(t, {{"i0", 3}, {"i1", 4}, {"i2", 4}, {"j0", 5}, {"j1", 3}, {"j2", 4}, {"k0", 9}, {"k1", 4}})
          .program);
  int apart = 0;
  for (int position = 0; position < 20; ++position) {
    const Function changed = with_changed_number(program, position);
    ASSERT_FALSE(structurally_equal(program, changed)) << position;
    EXPECT_FALSE(structurally_equal(program, canon(changed))) << position << print(changed);
    ++apart;
  }
  EXPECT_EQ(apart, 20);
}

/// A copy of 4 whose loop runs so often, under a guard.
Function guarded_copy(int times, const std::string& guard) {
  return parse_function(
      "@T.prim_func\ndef main(A: T.Buffer((4,), \"float32\"), B: T.Buffer((4,), \"float32\")):\n"
      "    for i in range(" +
      std::to_string(times) + "):\n        with T.block(\"B\"):\n            v = T.axis.spatial(4, i)\n" +
      (guard.empty() ? "" : "            T.where(" + guard + ")\n") + "            B[v] = A[v]\n");
}

TEST(Canon, leaves_out_last_iterations_that_do_nothing) {
  const Function plain = canon(guarded_copy(4, ""));
  EXPECT_EQ(first_difference(plain, canon(guarded_copy(6, "i < 4"))), "");
  EXPECT_FALSE(structurally_equal(plain, canon(guarded_copy(6, "i < 3"))));
  EXPECT_FALSE(structurally_equal(plain, canon(guarded_copy(4, "i != 2"))));
  EXPECT_FALSE(structurally_equal(plain, canon(guarded_copy(4, "i > 0"))));
}

/// What is not proved for all numbers is decided with some: these lists only become shorter.
TEST_P(LawOfTemplates, defers_no_more_questions_than_before) {
  static const std::map<std::string, std::size_t> known = {{"copy with fused and bound loops", 5}};
  const Symbolic made = symbolic(subject());
  const auto at = known.find(subject().name);
  std::string text;
  for (const Refusal& refusal : made.deferred) text += refusal.code + ": " + refusal.fact + "\n";
  EXPECT_LE(made.deferred.size(), at == known.end() ? 0 : at->second) << text;
}

TEST_P(LawOfTemplates, numbers_that_do_not_divide_break_what_exact_tiles_post) {
  const Template& t = subject();
  const Symbolic made = symbolic(t);
  for (const Axis& axis : t.axes) {
    if (!axis.exact) continue;
    Random random(1);
    Assignment numbers = random_assignment(t, Edge::none, random);
    ASSERT_TRUE(fulfils(made, numbers));
    ++numbers[axis.parts[0]];
    EXPECT_FALSE(fulfils(made, numbers)) << to_string(numbers);
  }
}

TEST_P(LawOfTemplates, numbers_that_are_too_small_are_posted_against_and_refused) {
  const Template& t = subject();
  const Symbolic made = symbolic(t);
  for (const Axis& axis : t.axes) {
    if (axis.least == 1) continue;
    Random random(1);
    Assignment numbers = random_assignment(t, Edge::none, random);
    for (const std::string& part : axis.parts) numbers[part] = 1;
    numbers[axis.parts.back()] = axis.extent;
    EXPECT_FALSE(fulfils(made, numbers)) << to_string(numbers);
    EXPECT_THROW(replay(t, numbers), Refused) << to_string(numbers);
  }
}

INSTANTIATE_TEST_SUITE_P(All, LawOfTemplates, ::testing::Range<std::size_t>(0, templates().size()));

}  // namespace
}  // namespace ardea::schedule::testing
