#include <gtest/gtest.h>

#include "ardea/ir/parse.h"
#include "ardea/ir/print.h"
#include "ardea/schedule/schedule.h"
#include "ardea/support/random.h"
#include "ardea/support/text_file.h"
#include "tests/schedule/gemm_program.h"
#include "tests/te/refused.h"

/// Scripts as people write them: what they may hold gives the same trace as steps written out one by one, and
/// what they may not is named with its place.

namespace ardea::schedule {
namespace {

/// One loop and one block.
const Function& one_loop() {
  static const Function program = parse_function(R"(
@T.prim_func
def main(A: T.Buffer((12,), "float32"), B: T.Buffer((12,), "float32")):
    for i in range(12):
        with T.block("B"):
            vi = T.axis.spatial(12, i)
            B[vi] = A[vi]
)");
  return program;
}

std::string trace_of(const Function& program, const std::string& script) {
  Schedule s(program);
  s.replay(parse_steps(script, "script"));
  return print(s.trace());
}

// ----- the same as steps one by one

struct ScriptPair {
  std::string name, script, steps;
};
void PrintTo(const ScriptPair& written, std::ostream* out) { *out << written.name; }

class ScriptPairs : public ::testing::TestWithParam<ScriptPair> {};

TEST_P(ScriptPairs, give_the_trace_of_steps_one_by_one) {
  const std::string head = "b = sch.get_block(\"C\")\n";
  EXPECT_EQ(trace_of(gemm_program(), head + GetParam().script),
            trace_of(gemm_program(), head + GetParam().steps));
}

const std::vector<ScriptPair> script_pairs = {
    {"index", "sch.unroll(sch.get_loops(b)[-1])\n", "i, j, k = sch.get_loops(b)\nsch.unroll(k)\n"},
    {"index_of_a_name", "loops = sch.get_loops(b)\nsch.unroll(loops[1])\n",
     "i, j, k = sch.get_loops(b)\nsch.unroll(j)\n"},
    {"slice", "loops = sch.get_loops(b)\nsch.reorder(loops[1:])\n",
     "i, j, k = sch.get_loops(b)\nsch.reorder(j, k)\n"},
    {"slice_backwards", "sch.reorder(*sch.get_loops(b)[::-1])\n",
     "i, j, k = sch.get_loops(b)\nsch.reorder(k, j, i)\n"},
    {"first_and_rest", "first, *rest = sch.get_loops(b)\nsch.reorder(*rest, first)\n",
     "i, j, k = sch.get_loops(b)\nsch.reorder(j, k, i)\n"},
    {"rest_and_last", "*rest, last = sch.get_loops(b)\nsch.reorder(last, *rest)\n",
     "i, j, k = sch.get_loops(b)\nsch.reorder(k, i, j)\n"},
    {"rest_between", "i, *rest, k = sch.get_loops(b)\nsch.unroll(rest[0])\n",
     "i, j, k = sch.get_loops(b)\nsch.unroll(j)\n"},
    {"empty_rest", "i, j, k, *rest = sch.get_loops(b)\nsch.annotate(b, \"rest\", len(rest))\n",
     "i, j, k = sch.get_loops(b)\nsch.annotate(b, \"rest\", 0)\n"},
    {"nested_call", "i, j, k = sch.get_loops(sch.get_block(\"C\"))\nsch.parallel(i)\n",
     "c = sch.get_block(\"C\")\ni, j, k = sch.get_loops(c)\nsch.parallel(i)\n"},
    {"two_nested_calls", "sch.unroll(sch.split(sch.get_loops(b)[0], [None, 5])[1])\n",
     "i, j, k = sch.get_loops(b)\ni0, i1 = sch.split(i, [None, 5])\nsch.unroll(i1)\n"},
    {"arithmetic", "w = 2\nt = w * (3 + 1) // 2 - 7 % 4 + 4\nsch.split(sch.get_loops(b)[0], [None, t])\n",
     "i, j, k = sch.get_loops(b)\nsch.split(i, [None, 5])\n"},
    {"floor", "sch.annotate(b, \"x\", [-7 // 2, -7 % 2, 7 // -2, 7 % -2, -(3 - 5), +4, 2 - 3 - 4])\n",
     "sch.annotate(b, \"x\", [-4, 1, -4, -1, 2, 4, -5])\n"},
    {"reals", "x = 0.5\nsch.annotate(b, \"x\", [x * 3, 1 - x, -x, 3.5 // 1, 3.5 % 1])\n",
     "sch.annotate(b, \"x\", [1.5, 0.5, -0.5, 3.0, 0.5])\n"},
    {"for_over_loops", "for loop in sch.get_loops(b)[1:]:\n    sch.unroll(loop)\n",
     "i, j, k = sch.get_loops(b)\nsch.unroll(j)\nsch.unroll(k)\n"},
    {"for_on_one_line", "for loop in sch.get_loops(b): sch.unroll(loop)\n",
     "i, j, k = sch.get_loops(b)\nsch.unroll(i)\nsch.unroll(j)\nsch.unroll(k)\n"},
    {"for_in_for",
     "n = 0\nfor x in [1, 2]:\n    for y in range(3):\n        n += x * y\n    n *= 2\nsch.annotate(b, "
     "\"n\", n)\n",
     "sch.annotate(b, \"n\", 24)\n"},
    {"for_over_pairs",
     "for loop, factor in zip(sch.get_loops(b), [5, 3]):\n    sch.split(loop, [None, factor])\n",
     "i, j, k = sch.get_loops(b)\nsch.split(i, [None, 5])\nsch.split(j, [None, 3])\n"},
    {"for_over_nothing", "for loop in []:\n    sch.unroll(loop)\n", ""},
    {"counted", "for at, loop in enumerate(sch.get_loops(b)):\n    sch.annotate(loop, \"at\", at)\n",
     "i, j, k = sch.get_loops(b)\nsch.annotate(i, \"at\", 0)\nsch.annotate(j, \"at\", 1)\n"
     "sch.annotate(k, \"at\", 2)\n"},
    {"lists_grow",
     "inner = []\nfor loop in sch.get_loops(b)[:2]:\n    outer, part = sch.split(loop, [None, 3])\n"
     "    inner += [part]\nsch.unroll(inner[-1])\nsch.unroll(inner[0])\n",
     "i, j, k = sch.get_loops(b)\ni0, i1 = sch.split(i, [None, 3])\nj0, j1 = sch.split(j, [None, 3])\n"
     "sch.unroll(j1)\nsch.unroll(i1)\n"},
    {"names_change_places", "i, j, k = sch.get_loops(b)\ni, j = j, i\nsch.unroll(i)\n",
     "i, j, k = sch.get_loops(b)\nsch.unroll(j)\n"},
    {"lists_of_lists", "tiles = [[None, 5], [None, 3]]\nsch.split(sch.get_loops(b)[1], tiles[1])\n",
     "i, j, k = sch.get_loops(b)\nsch.split(j, [None, 3])\n"},
    {"functions",
     "sch.annotate(b, \"x\", [len([4, 5]), min(3, 2), max([1, 4]), *range(1, 6, 2), *reversed([7, 8])])\n",
     "sch.annotate(b, \"x\", [2, 2, 4, 1, 3, 5, 8, 7])\n"},
    {"lines_of_text", "\"what this is for\"\nsch.unroll(sch.get_loops(b)[0])\npass\n",
     "i, j, k = sch.get_loops(b)\nsch.unroll(i)\n"},
    {"brackets_group", "sch.split(sch.get_loops(b)[0], [None, (5)])\n",
     "i, j, k = sch.get_loops(b)\nsch.split(i, [None, 5])\n"},
    {"numbers_in_a_map", "t = 4\nsch.transform_layout(b, \"C\", lambda i, j: (j // t, i, j % t), 0)\n",
     "sch.transform_layout(b, \"C\", lambda i, j: (j // 4, i, j % 4), 0)\n"},
};
INSTANTIATE_TEST_SUITE_P(Schedule, ScriptPairs, ::testing::ValuesIn(script_pairs),
                         [](const auto& info) { return info.param.name; });

TEST(Scripts, take_one_result_as_itself_and_as_a_list) {
  const std::string head = "b = sch.get_block(\"B\")\n",
                    steps = head + "i = sch.get_loops(b)\nsch.unroll(i)\n";
  for (const char* const script :
       {"i, = sch.get_loops(b)\nsch.unroll(i)\n", "sch.unroll(sch.get_loops(b))\n",
        "sch.unroll(sch.get_loops(b)[-1])\n", "for i in sch.get_loops(b): sch.unroll(i)\n",
        "*rest, i = sch.get_loops(b)\nsch.unroll(i)\n",
        "i = [] + sch.get_loops(b)\nsch.unroll(i[len(sch.get_loops(b)) - 1])\n"}) {
    Schedule s(one_loop());
    s.replay(parse_steps(head + script, "script"));
    EXPECT_NE(print(s.program()).find("for i in T.unroll(12)"), std::string::npos) << script;
  }
  EXPECT_NE(trace_of(one_loop(), steps).find("sch.unroll(loop=l1)"), std::string::npos);
  // A list of one number that was drawn is a list of factors.
  const std::string drawn = "i = sch.get_loops(sch.get_block(\"B\"))\nf = sch.sample_perfect_tile(i, 1)\n";
  EXPECT_NE(trace_of(one_loop(), drawn + "sch.split(i, f)\n").find("factors=[v2]"), std::string::npos);
}

TEST(Scripts, compute_with_drawn_numbers_and_name_them_in_maps) {
  const std::string draws = "b = sch.get_block(\"C\")\nt, = sch.sample_categorical([3], [1.0])\n";
  EXPECT_NE(trace_of(gemm_program(), draws + "sch.split(sch.get_loops(b)[1], [None, t + 1])\n")
                .find("factors=[None, 4]"),
            std::string::npos);
  const std::string map = draws + "sch.transform_layout(b, \"C\", lambda i, j: (j // t, i, j % t), 0)\n";
  EXPECT_NE(trace_of(gemm_program(), map).find("[\"lambda i, j: (j // t, i, j % t)\", [\"t\", v1]]"),
            std::string::npos)
      << trace_of(gemm_program(), map);
}

// ----- what is wrong, and where

TEST(Scripts, name_what_cannot_be_read) {
  const std::vector<std::pair<std::string, std::string>> faults = {
      {"x = 4 / 2\n", "1:7: found '/', which is left out: a script divides integers: write // for the floor"},
      {"x = 2 ** 3\n", "1:7: found '**', which is left out: scripts compute with + - * // and %"},
      {"x = 1\nx /= 2\n",
       "2:3: found '/=', which is left out: a script divides integers: write // for the floor"},
      {"x = 3\nif x > 2:\n    pass\n",
       "2:1: found 'if', which is left out: scripts have no conditions: the steps themselves ask what the "
       "program is"},
      {"x = 1 if True else 2\n",
       "1:7: found 'if', which is left out: scripts have no conditions: the steps themselves ask what the "
       "program is"},
      {"while True:\n    pass\n",
       "1:1: found 'while', which is left out: scripts repeat with for over a list alone"},
      {"import tvm\n",
       "1:1: found 'import', which is left out: scripts need no modules: sch is there already"},
      {"x = {1: 2}\n",
       "1:5: found '{', which is left out: scripts have lists and numbers, no sets and dictionaries"},
      {"x = [y for y in [1]]\n", "1:6: y is not defined before"},
      {"y = 1\nx = [y for y in [1]]\n",
       "2:8: found 'for', which is left out here: write a for loop with += on a list"},
      {"x = [1]\nx[0] = 2\n",
       "2:1: an item of a list is not assigned alone; make a new list of it and the others"},
      {"x = [1]\nx.append(2)\n", "2:2: only sch has something after a point; a list grows by +="},
      {"x = y = 1\n", "1:7: one assignment a line: write a = … and b = a"},
      {"a, *b, *c = [1, 2]\n", "1:9: two names take the rest"},
      {"*a = [1]\n", "1:4: *a takes a rest: write *a, = … or a = …"},
      {"sch = 1\n", "1:1: sch is the schedule, and no other name"},
      {"x = sch\n", "1:5: sch is the schedule: write sch.step(…)"},
      {"x += 1\n", "1:1: x is not defined before"},
      {"loops = [1]\nx = lops[0]\n", "2:5: lops is not defined before; did you mean loops?"},
      {"x = split(1)\n",
       "1:5: there is no function split, only len, range, reversed, enumerate, zip, min, max; steps are "
       "written "
       "sch.split(…)"},
      {"x = 4\nx\n",
       "2:2: found the end of the line, expected '=' or '+=': a line is an assignment, a step or a for"},
      {"len([1])\n", "1:1: this line makes a value and leaves it; give it a name, or take a step"},
      {"x = 4 5\n", "1:7: found the number 5, expected the end of the line"},
      {"x = [1, 2\n", "2:1: found the end of the line, expected ']'"},
      {"x = (1 + 2\n", "2:1: found the end of the line, expected ')'"},
      {"x = [1][]\n", "1:9: found ']', expected a position"},
      {"x = [[1]][0, 0]\n", "1:12: a list has one position: write list[i][j]"},
      {"x = 9223372036854775808\n", "1:5: the integer 9223372036854775808 does not fit 64 bits"},
      {"x = *[1]\n", "1:5: * gives the items of a list to a list or to a step"},
      {"x = 1\n    y = 2\n", "2:5: this line is indented deeper than the one before, which opens nothing"},
      {"for x in [1]:\npass\n", "2:1: found 'pass', expected an indented line"},
      {"for x in [1]: for y in [2]: pass\n", "1:15: a for inside a for begins on a line of its own"},
      {"b = sch.get_block(\"C\", \"main\", 3)\n",
       "1:32: get_block takes name, func_name, 2 arguments, and this is one more"},
      {"b = sch.get_block(\"C\", name=\"D\")\n", "1:24: get_block gives name twice"},
      {"x = " + std::string(300, '(') + "1" + std::string(300, ')') + "\n",
       "1:205: values stand more than 200 deep in each other"},
  };
  for (const auto& [text, sentence] : faults)
    EXPECT_REFUSED(parse_steps(text, "script"), "script:" + sentence);
}

TEST(Scripts, name_what_does_not_fit_when_they_run) {
  const std::vector<std::pair<std::string, std::string>> faults = {
      {"sch.unroll(b)\n", "2:12: unroll: loop must be a loop, and this is a block"},
      {"sch.unroll(sch.get_loops(b))\n", "2:12: unroll: loop must be a loop, and this is a list of 3 loops"},
      {"i, j = sch.get_loops(b)\n", "2:1: get_loops gives 3 results, and 2 names stand for them"},
      {"i, j = [1, 2, 3]\n", "2:1: a list of 3 numbers is given, and 2 names stand for it"},
      {"i, j = 3\n", "2:1: the number 3 is given, and 2 names stand for it"},
      {"i, j, k, l, *m = sch.get_loops(b)\n", "2:1: get_loops gives 3 results, and 5 names stand for them"},
      {"sch.unroll(sch.get_loops(b)[3])\n",
       "2:29: position 3 is outside a list of 3: its positions are 0 to 2, or -3 to -1"},
      {"sch.unroll(sch.get_loops(b)[-4])\n",
       "2:29: position -4 is outside a list of 3: its positions are 0 to 2, or -3 to -1"},
      {"x = [][0]\n", "2:8: position 0 of an empty list"},
      {"x = [1][\"a\"]\n", "2:9: a position is an integer, and this is the string \"a\""},
      {"x = [1][::0]\n", "2:11: the step of a slice is 0"},
      {"x = 4\ny = x[0]\n", "3:5: only a list has positions, and this is the number 4"},
      {"x = b + 1\n", "2:7: + takes two numbers or two lists, and these are a block and the number 1"},
      {"x = \"a\" * 2\n", "2:9: * takes two numbers, and these are the string \"a\" and the number 2"},
      {"x = -b\n", "2:5: - takes a number, and this is a block"},
      {"x = 1 // 0\n", "2:7: 1 // 0 divides by zero"},
      {"x = 1 % (2 - 2)\n", "2:7: 1 % 0 divides by zero"},
      {"x = 9223372036854775807 + 1\n", "2:25: 9223372036854775807 + 1 does not fit 64 bits"},
      {"x = -9223372036854775808 // -1\n", "2:26: -9223372036854775808 // -1 does not fit 64 bits"},
      {"for x in 5:\n    pass\n", "2:10: for goes over a list, and this is the number 5"},
      {"for x, y in [1]:\n    pass\n", "2:5: an item of the list is the number 1, and 2 names stand for it"},
      {"sch.reorder(*b[0])\n", "2:15: * gives the items of a list, and this is a block"},
      {"x = [3]\nsch.reorder(*x)\n",
       "3:13: reorder: ordered_loops must be a list, each of it a loop, and this is the number 3"},
      {"sch.split(sch.get_loops(b)[0], [None, \"4\"])\n",
       "2:32: split: factors must be a list, each of it an integer or a sampled number or None, and this is "
       "a list "
       "of None, the string \"4\""},
      {"for x in []:\n    y = x\nz = y\n", "4:5: y is not defined before"},
      {"x = len(4)\n", "2:5: len takes one list, and this is the number 4"},
      {"x = max()\n", "2:5: max takes integers, and nothing is given"},
      {"x = range(1, 2, 0)\n",
       "2:5: range takes one to three integers, the third not 0, and this is the number 1, the number 2, the "
       "number 0"},
      {"x = [0]\nfor i in range(20): x += x\n", "3:21: this list has more than 65536 items"},
      {"x = [0]\nfor i in range(20): x = [x, x]\n", "3:25: this list has more than 65536 items"},
      {"x = range(1000000)\n", "2:5: this list has more than 65536 items"},
      {"x = range(60000)\ny = zip(x, x)\n", "3:5: this list has more than 65536 items"},
      {"x = 0\nfor i in range(40): x = [x]\n", "3:25: lists lie more than 32 deep in this list"},
      {"x = range(60000)\nfor i in x: y = x[0]\n",
       "3:17: the script has gone through 4194304 items of lists, which is the most"},
      {"for i in range(60000):\n    for j in range(60000):\n        pass\n",
       "3:14: the script has gone through 4194304 items of lists, which is the most"},
      {"x = [[1, [2, 3]], 4] + 5\n",
       "2:22: + takes two numbers or two lists, and these are a list of a list, the number 4 and the number "
       "5"},
      {"for i in range(1000):\n    for j in range(1000):\n        x = j\n",
       "4:9: the script has taken 131072 lines, which is the most"},
      {"sch.get_loops(*[b, b])\n", "2:15: get_loops takes block, 1 argument, and this is one more"},
      {"sch.parallel(sch.get_loops(b)[0], *[])\nsch.unroll(*[])\n", "3:1: unroll needs loop, a loop"},
  };
  for (const auto& [text, sentence] : faults) {
    Schedule s(gemm_program());
    const std::string script = "b = sch.get_block(\"C\")\n" + text;
    EXPECT_REFUSED(s.replay(parse_steps(script, "script")), "script:" + sentence);
    EXPECT_TRUE(s.trace().instructions.empty()) << "of a script that fails nothing stays";
  }
}

TEST(Scripts, place_a_refusal_at_the_step_inside_another) {
  Schedule s(gemm_program());
  EXPECT_REFUSED(
      s.replay(parse_steps("for name in [\"C\", \"D\"]:\n    loops = sch.get_loops(sch.get_block(name))\n",
                           "script")),
      "script:2:27: get_block(name=\"D\", func_name=None): there is no block \"D\"; the blocks are C; did "
      "you mean C?");
}

// ----- by chance

/// A random integer expression as text, and its value; nothing where Python would fail or leave 64 bits.
/// It makes no real numbers: the table above has those.
struct WrittenNumber {
  std::string text;
  std::optional<std::int64_t> value;
};

WrittenNumber random_number(Random& random, int depth) {
  if (depth == 0 || random.chance(0.2)) {
    const std::int64_t value = random.integer(-20, 20);
    return {std::to_string(value), value};
  }
  const WrittenNumber a = random_number(random, depth - 1), b = random_number(random, depth - 1);
  const std::string op = random.pick(std::vector<std::string>{"+", "-", "*", "//", "%"});
  const std::string text = "(" + a.text + ") " + op + " (" + b.text + ")";
  if (!a.value || !b.value || ((op == "//" || op == "%") && *b.value == 0)) return {text, std::nullopt};
  const __int128 x = *a.value, y = *b.value;
  __int128 value = 0;
  if (op == "+") value = x + y;
  if (op == "-") value = x - y;
  if (op == "*") value = x * y;
  if (op == "//" || op == "%") {
    __int128 quotient = x / y;
    while (quotient * y > x ? y > 0 : (y < 0 && quotient * y < x)) --quotient;
    value = op == "//" ? quotient : x - quotient * y;
  }
  if (value > std::numeric_limits<std::int64_t>::max() || value < std::numeric_limits<std::int64_t>::min())
    return {text, std::nullopt};
  return {text, static_cast<std::int64_t>(value)};
}

TEST(Scripts, compute_as_integers_do) {
  int computed = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    Random random(seed);
    const WrittenNumber number = random_number(random, 4);
    Schedule s(one_loop());
    const std::string script = "b = sch.get_block(\"B\")\nsch.annotate(b, \"x\", " + number.text + ")\n";
    try {
      s.replay(parse_steps(script, "script"));
      ASSERT_TRUE(number.value.has_value()) << script;
      EXPECT_EQ(std::get<std::int64_t>(s.trace().instructions.back().arguments[2].value), *number.value)
          << script;
      ++computed;
    } catch (const Error& error) {
      EXPECT_FALSE(number.value.has_value()) << script << error.what();
    }
  }
  EXPECT_GE(computed, 100);
}

/// Python's slice by its definition: the positions from, from + step, … that are before `to`, where ends
/// outside count as the ends.
std::vector<std::int64_t> sliced_by_python(std::int64_t size, std::optional<std::int64_t> from,
                                           std::optional<std::int64_t> to, std::int64_t step) {
  std::vector<std::int64_t> positions;
  const auto wrapped = [&](std::int64_t at) { return at < 0 ? at + size : at; };
  const std::int64_t first = from ? wrapped(*from) : step > 0 ? 0 : size - 1;
  for (std::int64_t at = step > 0 ? std::max<std::int64_t>(first, 0) : std::min(first, size - 1);
       at >= 0 && at < size; at += step) {
    if (to && (step > 0 ? at >= wrapped(*to) : at <= wrapped(*to))) break;
    positions.push_back(at);
  }
  return positions;
}

TEST(Scripts, slice_as_python_does) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    Random random(seed);
    const std::int64_t size = random.integer(0, 5);
    const auto end = [&] { return random.chance(0.3) ? std::nullopt : std::optional(random.integer(-7, 7)); };
    const std::optional<std::int64_t> from = end(), to = end();
    std::int64_t step = random.integer(-3, 3);
    if (step == 0) step = 1;
    const auto text = [](std::optional<std::int64_t> at) { return at ? std::to_string(*at) : ""; };
    const std::string script = fmt::format("sch.annotate(sch.get_block(\"B\"), \"x\", range({})[{}:{}:{}])\n",
                                           size, text(from), text(to), step);
    Schedule s(one_loop());
    s.replay(parse_steps(script, "script"));
    std::vector<std::int64_t> got;
    for (const Argument& item :
         std::get<std::vector<Argument>>(s.trace().instructions.back().arguments[2].value))
      got.push_back(std::get<std::int64_t>(item.value));
    EXPECT_EQ(got, sliced_by_python(size, from, to, step)) << script;
  }
}

/// Scripts with words taken out, doubled and exchanged: each is read and runs, or is an Error with its place.
/// What runs has a trace that replays to itself. It makes no new words, which the lexer's fuzzer does.
TEST(Scripts, of_any_words_run_or_name_their_fault) {
  const std::vector<std::string> extra = {"[",  "]",      "(",    ")",      ":",        ",",    "*",
                                          "-1", "0",      "+=",   "=",      "for x in", "b",    "sch.",
                                          "\n", "\n    ", "None", "lambda", "[0]",      "[1:]", "len("};
  int ran = 0, refused = 0;
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    Random random(seed);
    std::string script =
        "b = sch.get_block(\"C\")\n" + random.pick(script_pairs).script + random.pick(script_pairs).script;
    for (std::int64_t changes = random.integer(0, 2); changes > 0; --changes) {
      const auto at =
          static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(script.size()) - 1));
      if (random.chance(0.5))
        script.erase(at, static_cast<std::size_t>(random.integer(1, 4)));
      else
        script.insert(at, random.pick(extra));
    }
    SCOPED_TRACE(script);
    Schedule s(gemm_program());
    try {
      s.replay(parse_steps(script, "script"));
      ++ran;
    } catch (const InternalError& error) {
      FAIL() << error.what();
    } catch (const Error& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with("script:")) << error.what();
      ++refused;
      continue;
    }
    EXPECT_EQ(trace_of(gemm_program(), print(s.trace())), print(s.trace()));
  }
  EXPECT_GE(ran, 150);
  EXPECT_GE(refused, 300);
}

}  // namespace
}  // namespace ardea::schedule
