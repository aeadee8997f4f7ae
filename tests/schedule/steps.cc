#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "ardea/ir/parse.h"
#include "ardea/ir/print.h"
#include "ardea/ir/traverse.h"
#include "ardea/schedule/primitives/loops/annotate.h"
#include "ardea/schedule/primitives/loops/fuse.h"
#include "ardea/schedule/primitives/loops/mark.h"
#include "ardea/schedule/primitives/loops/reorder.h"
#include "ardea/schedule/primitives/loops/split.h"
#include "ardea/schedule/schedule.h"
#include "tests/schedule/gemm_program.h"
#include "tests/te/refused.h"

/// References through steps, and traces as data. What each step writes, accepts and refuses: cases.cc.

namespace ardea::schedule {
namespace {

/// A step that is wrong: loops run once more than their blocks.
Outcome run_once_more(const Function& f, const std::vector<Argument>&, Context&) {
  Function out = f;
  out.body = rewrite(f.body, {.stmt_after = [](const Stmt& s) -> Stmt {
                       const auto* loop = s.as<For>();
                       if (loop == nullptr) return s;
                       For longer = *loop;
                       longer.extent = loop->extent + make_int(1, loop->extent.type());
                       return longer;
                     }});
  return Applied{out};
}

TEST(Schedule, verifies_each_step_or_all_of_them_at_the_end) {
  Primitive wrong;
  wrong.name = "run_once_more";
  wrong.apply = run_once_more;
  Schedule s(gemm_program());
  EXPECT_THROW(s.take(wrong, {}), std::exception);
  s.verify_later();
  EXPECT_NO_THROW(s.take(wrong, {}));
  EXPECT_THROW(s.verify(), Error);
  EXPECT_THROW(s.take(wrong, {}), std::exception) << "from then on each step again";
  Schedule right(gemm_program());
  right.verify_later();
  right.apply(Split{right.get_loops(right.get_block("C"))[0], {std::nullopt, 5}});
  EXPECT_NO_THROW(right.verify());
}

TEST(References, say_which_step_took_them) {
  Schedule s(gemm_program());
  const std::vector<LoopRef> loops = s.get_loops(s.get_block("C"));
  s.apply(Split{loops[0], {std::nullopt, 5}});
  EXPECT_REFUSED(
      s.apply(Unroll{loops[0]}),
      "unroll(loop=i): loop i is gone: step 3, split(loop=i, factors=[None, 5], preserve_unit_iters=True, "
      "disable_predication=False), made i_0, i_1 of it");
  Schedule other(gemm_program());
  EXPECT_REFUSED(other.apply(Unroll{loops[0]}), "unroll(loop=i): loop i is not in the program main");
}

TEST(Trace, is_read_back_from_its_script_and_from_json) {
  Schedule s(gemm_program());
  const auto loops = s.get_loops(s.get_block("C"));
  const auto tiles = s.loops(Split{.loop = loops[0], .factors = {std::nullopt, 4}, .tail = "cut"});
  s.apply(Annotate{tiles[0], "pragma_auto_unroll_max_step", {std::int64_t{16}}});
  s.apply(Unroll{tiles[1]});
  for (const std::string& text : {print(s.trace()), to_json(s.trace()).dump()}) {
    Schedule again(gemm_program());
    again.replay(parse_steps(text, "trace"));
    EXPECT_EQ(print(again.program()), print(s.program())) << text;
    EXPECT_EQ(print(again.trace()), print(s.trace()));
  }
}

TEST(Trace, takes_arguments_by_place_and_the_rest_of_the_results) {
  Schedule s(gemm_program());
  s.replay(parse_steps("b = sch.get_block(\"C\")\n*rest, k = sch.get_loops(b)\nsch.unroll(k)\n", "script"));
  EXPECT_NE(print(s.program()).find("for k in T.unroll(7)"), std::string::npos) << print(s.program());
}

TEST(Trace, takes_a_list_of_one_result) {
  Schedule s(gemm_program());
  s.replay(
      parse_steps("b = sch.get_block(\"C\")\n*rest, k = sch.get_loops(b)\nk0, = sch.split(k, [7])\n"
                  "sch.unroll(k0)\n",
                  "script"));
  EXPECT_NE(print(s.program()).find("for k_0 in T.unroll(7)"), std::string::npos) << print(s.program());
}

TEST(Trace, names_the_fault_of_a_script) {
  const std::vector<std::pair<std::string, std::string>> faults = {
      {"b = sch.get_blok(\"C\")\n",
       "script:1:9: there is no primitive \"get_blok\"; did you mean get_block?; `ardea primitives` lists "
       "them"},
      {"sch.unroll(k)\n", "script:1:12: k is not defined before"},
      {"sch.unroll()\n", "script:1:5: unroll needs loop, a loop"},
      {"b = sch.get_block(name=\"C\", nam=\"D\")\n",
       "script:1:29: get_block has no argument nam, only name, func_name; did you mean name?"},
      {"b = sch.get_block(\"C\"\n", "script:2:1: found the end of the line, expected ')'"},
      {"[{\"primitive\": \"unroll\"}]",
       "script: step 1: it needs \"primitive\", \"arguments\" and \"results\""},
      {"[{", "script: it is no list of steps in JSON"},
  };
  for (const auto& [text, sentence] : faults) EXPECT_REFUSED(parse_steps(text, "script"), sentence);
  Schedule s(gemm_program());
  EXPECT_REFUSED(s.replay(parse_steps("b = sch.get_block(\"C\")\ni, j = sch.get_loops(b)\n", "script")),
                 "script:2:1: get_loops gives 3 results, and 2 names stand for them");
  EXPECT_REFUSED(s.replay(parse_steps("b = sch.get_block(\"C\")\nsch.unroll(b)\n", "script")),
                 "script:2:12: unroll: loop must be a loop, and this is a block");
  EXPECT_TRUE(s.trace().instructions.empty());
}

}  // namespace
}  // namespace ardea::schedule
