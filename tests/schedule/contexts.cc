#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <sstream>

#include "ardea/arith/load.h"
#include "ardea/interp/interpreter.h"
#include "ardea/ir/print.h"
#include "ardea/measure/inputs.h"
#include "ardea/schedule/posting.h"
#include "ardea/schedule/primitives/loops/split.h"
#include "ardea/schedule/schedule.h"
#include "ardea/support/text_file.h"

namespace ardea::schedule {
namespace {

Refusal because() { return {"code", "the fact"}; }

TEST(Posting, drops_what_is_proved_and_refuses_what_is_refuted) {
  const Var t("t");
  arith::Analyzer facts;
  facts.parameter(t);
  Posting context({t});
  EXPECT_FALSE(context.require(facts, t * 2 >= make_int(2), because));
  EXPECT_TRUE(context.require(facts, t < make_int(1), because));
  EXPECT_TRUE(context.posted().empty());
}

TEST(Posting, posts_what_depends_on_its_variables_once_and_counts_on_it) {
  const Var t("t"), u("u");
  arith::Analyzer facts;
  facts.parameter(t);
  facts.parameter(u);
  Posting context({t, u});
  const Expr condition = equals(t * u, make_int(12));
  EXPECT_FALSE(context.decides(facts, condition));
  EXPECT_FALSE(context.require(facts, condition, because));
  EXPECT_FALSE(context.require(facts, condition, because));
  ASSERT_EQ(context.posted().size(), 1U);
  EXPECT_EQ(print(context.posted()[0].condition), "t * u == 12");
  EXPECT_EQ(context.posted()[0].code, "code");
  EXPECT_TRUE(context.decides(facts, condition));
}

TEST(Posting, says_of_the_variables_what_loops_need) {
  const Var t("t"), i("i"), n("n");
  arith::Analyzer facts;
  facts.parameter(t);
  facts.bind(i, {make_int(0), t});
  Posting context({t});
  EXPECT_FALSE(context.require(facts, i * 4 < make_int(64), because));
  ASSERT_EQ(context.posted().size(), 1U);
  for (const std::int64_t value : {1, 16, 17}) {
    arith::Analyzer known;
    known.define(t, make_int(value));
    EXPECT_EQ(known.proves(context.posted()[0].condition), value <= 16) << value;
  }
  // n is nothing that the template chooses.
  const auto refusal = context.require(facts, n < t, because);
  ASSERT_TRUE(refusal);
  EXPECT_NE(refusal->fact.find("is no condition on the variables of the template"), std::string::npos);
}

TEST(Posting, keeps_nothing_of_a_step_that_is_refused) {
  const Function program = arith::load_program(R"(@T.prim_func
def main(A: T.Buffer((12,), "float32"), t: T.int64):
    T.assume(t >= 1)
    for i in range(12):
        with T.block("A"):
            v = T.axis.spatial(12, i)
            A[v] = T.float32(1)
)",
                                               "program.tir")
                               .functions[0];
  const Var t = program.parameters[1].var;
  const Number number = NumberRef::fresh(t);
  Schedule s(program, std::make_unique<Posting>(std::vector<Var>{t}));
  const LoopRef loop = s.get_loops(s.get_block("A"))[0];
  EXPECT_THROW(s.apply(Split{.loop = loop, .factors = {number, Number(0)}}), Refused);
  EXPECT_EQ(s.program().assumptions.size(), 1U);
  s.apply(Split{.loop = loop, .factors = {number, Number(4)}, .disable_predication = true});
  ASSERT_EQ(s.program().assumptions.size(), 2U);
  EXPECT_EQ(print(s.program().assumptions[1]), "t * 4 == 12");
}

TEST(ByHand, makes_no_sentence_where_a_condition_holds) {
  ByHand context;
  EXPECT_FALSE(context.require({}, make_bool(true), []() -> Refusal { throw InternalError("asked"); }));
}

TEST(Assumptions, are_printed_read_and_asked_of_every_call) {
  const std::string text = R"(# from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((12,), "float32"), t: T.int64):
    T.assume(t >= 1)
    T.assume(12 % t == 0)
    # with T.block("root"):
    for i in range(12):
        with T.block("A"):
            v = T.axis.spatial(12, i)
            T.reads()
            T.writes(A[v])
            A[v] = T.float32(1.0)
)";
  const Module module = arith::load_program(text, "program.tir");
  EXPECT_EQ(print(module), text);
  const Function& f = module.functions[0];
  EXPECT_TRUE(arith::facts_of(f).proves(f.parameters[1].var * 3 >= make_int(3)));
  const auto run = [&](std::int64_t t) {
    auto arguments = measure::make_arguments(f, {.seed = 1, .sizes = {{"t", t}}});
    arguments[1] = t;
    interp::run(f, arguments);
  };
  EXPECT_NO_THROW(run(4));
  try {
    run(5);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "main: the sizes must fulfil 12 % t == 0, and they do not");
  }
}

/// Primitives ask their context. These places ask arith themselves: contexts; questions about regions whose
/// answers are judged as a whole; branches of form, of which the general one simplifies to the special one
/// (law_of_templates.cc sees to it); the words of a refusal that is one in any case. The numbers only become
/// smaller.
TEST(Primitives, ask_their_context) {
  static const std::map<std::string, int> allowed = {
      {"analysis/concurrency.cc", 2},
      {"analysis/inverse_index.cc", 1},
      {"analysis/iterator_values.cc", 10},
      {"analysis/moved_block.cc", 1},
      {"analysis/placed_nest.cc", 8},
      {"choices.cc", 1},
      {"analysis/reduction_nest.cc", 1},
      {"canon.cc", 1},
      {"context.cc", 3},
      {"posting.cc", 5},
      {"primitives/loops/split.cc", 1},
      {"primitives/memory/add_guard.cc", 1},
      {"primitives/memory/buffer_layout.cc", 3},
      {"primitives/memory/cache_index.cc", 1},
      {"primitives/memory/lift_alloc.cc", 1},
      {"primitives/memory/reindex.cc", 1},
      {"primitives/memory/held_values.cc", 1},
      {"primitives/memory/stage_mem.cc", 1},
      {"primitives/memory/staged_window.cc", 1},
      {"primitives/memory/transform_layout.cc", 1},
      {"primitives/memory/write_place.cc", 3},
      {"primitives/place/compute_at.cc", 2},
      {"primitives/place/compute_inline.cc", 2},
      {"primitives/place/reverse_compute_at.cc", 5},
      {"primitives/place/reverse_compute_inline.cc", 4},
      {"primitives/reduce/decompose_reduction.cc", 1},
      {"primitives/reduce/pad_einsum.cc", 1},
      {"primitives/reduce/rfactor.cc", 1},
      {"primitives/tensor/isolated_nest.cc", 3},
      {"primitives/tensor/affine_place.cc", 2},
      {"primitives/tensor/instruction_arguments.cc", 3},
      {"primitives/tensor/match_loops.cc", 4},
      {"program/path.cc", 1},
      {"program/tree.cc", 2},
  };
  const std::filesystem::path folder = std::string(ARDEA_SOURCE_DIR) + "/ardea/schedule";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".cc" && entry.path().extension() != ".h") continue;
    const std::string text = read_text_file(entry.path().string());
    int found = 0;
    for (const char* question : {"proves(", "is_one(", ".prove(", "Proof::proved"})
      for (std::size_t at = text.find(question); at != std::string::npos; at = text.find(question, at + 1))
        ++found;
    const std::string name = std::filesystem::relative(entry.path(), folder).string();
    const auto known = allowed.find(name);
    EXPECT_LE(found, known == allowed.end() ? 0 : known->second)
        << name << " asks arith itself; let its context require, decide or judge";
  }
}

/// A return from within a larger expression would leak what that has made so far (outcome.h).
TEST(Refusals, are_handed_on_between_expressions) {
  const std::filesystem::path folder = std::string(ARDEA_SOURCE_DIR) + "/ardea/schedule";
  int found = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".cc") continue;
    std::istringstream text(read_text_file(entry.path().string()));
    for (std::string line; std::getline(text, line);) {
      const std::size_t at = line.find("ARDEA_TRY(");
      if (at == std::string::npos) continue;
      ++found;
      const std::string before = line.substr(0, at);
      const bool begins = before.find_first_not_of(' ') == std::string::npos || before.ends_with(") ") ||
                          before.ends_with("else ");
      EXPECT_TRUE(begins || before.ends_with(" = ")) << entry.path() << ": " << line;
    }
  }
  EXPECT_GT(found, 100);
}

}  // namespace
}  // namespace ardea::schedule
