#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "ardea/space/evaluate.h"
#include "ardea/space/json.h"
#include "ardea/space/parse.h"
#include "ardea/space/print.h"
#include "ardea/support/error.h"
#include "tests/space/random_system.h"

namespace ardea::space {
namespace {

using testing::random_system;

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

std::string parse_error(const std::string& text) {
  return message_of([&] { parse(text, "t"); });
}

TEST(Domain, is_a_set_whatever_the_order_it_is_written_in) {
  const Domain domain = Domain::of_ranges({{7, 9}, {1, 1}, {2, 3}, {8, 12}, {5, 4}});
  EXPECT_EQ(domain.to_string(), "{1, 2, 3, 7..12}");
  EXPECT_EQ(domain.size(), 9);
  EXPECT_EQ(domain, Domain::of({12, 11, 10, 9, 8, 7, 3, 2, 1, 1}));
  EXPECT_EQ(Domain::range(3, 3).to_string(), "{3}");
  EXPECT_EQ(Domain::range(1, 4).to_string(), "1..4");
  EXPECT_EQ(Domain().to_string(), "{}");
  EXPECT_EQ(domain.at_least(4), 7);
  EXPECT_EQ(domain.at_most(6), 3);
  EXPECT_EQ(domain.at_least(13), std::nullopt);
  EXPECT_EQ(domain.at_most(0), std::nullopt);
  EXPECT_EQ(domain.complement().complement(), domain);
  EXPECT_TRUE(domain.intersect(domain.complement()).empty());
}

TEST(Domain, intersects_as_sets_do) {
  Random random(5);
  for (int turn = 0; turn < 500; ++turn) {
    std::vector<std::int64_t> a, b;
    for (std::int64_t v = 0; v < 20; ++v) {
      if (random.chance(0.5)) a.push_back(v);
      if (random.chance(0.5)) b.push_back(v);
    }
    const Domain both = Domain::of(a).intersect(Domain::of(b));
    for (std::int64_t v = -1; v < 21; ++v)
      EXPECT_EQ(both.contains(v), Domain::of(a).contains(v) && Domain::of(b).contains(v));
  }
}

TEST(Evaluate, defines_each_kind_at_its_edges) {
  const auto truth_at = [](const std::string& formula, std::int64_t x, std::int64_t y, std::int64_t z) {
    const System system =
        parse("knob x in -100..100 knob y in -100..100 knob z in -100..100 require r: " + formula);
    return system.variables().size() == 3
               ? holds(system.constraints()[0], {x, y, z})
               : complete(system, {x, y, z}) && is_solution(system, *complete(system, {x, y, z}));
  };
  EXPECT_TRUE(truth_at("x == y * z", 6, 2, 3));
  EXPECT_FALSE(truth_at("x == y * z", 7, 2, 3));
  EXPECT_TRUE(truth_at("x == y // z", -4, -7, 2));
  EXPECT_TRUE(truth_at("x == ceil_div(y, z)", -3, -7, 2));
  EXPECT_TRUE(truth_at("x == ceil_div(y, z)", 4, -7, -2));
  EXPECT_TRUE(truth_at("x == y // z", 3, -7, -2));
  EXPECT_FALSE(truth_at("x == y // z", 0, 5, 0));
  EXPECT_TRUE(truth_at("x == y % z", 1, -7, 2));
  EXPECT_TRUE(truth_at("x divides y", 0, 0, 0));
  EXPECT_FALSE(truth_at("x divides y", 0, 4, 0));
  EXPECT_TRUE(truth_at("x divides y", -2, 4, 0));
  EXPECT_TRUE(truth_at("x divides y", 7, 0, 0));
  EXPECT_FALSE(truth_at("x divides y", 4, 6, 0));
  EXPECT_TRUE(truth_at("x == select(y, 5, z)", 9, 1, 9));
  EXPECT_FALSE(truth_at("x == select(y, 5, z)", 9, 2, 9));
  EXPECT_FALSE(truth_at("x == select(y, 5, z)", 9, -1, 9));
  EXPECT_TRUE(truth_at("x == max(y, z)", 3, 3, -3));
  EXPECT_TRUE(truth_at("x == min(y, z)", -3, 3, -3));
  EXPECT_TRUE(truth_at("x == [y < z]", 1, 2, 3));
  EXPECT_TRUE(truth_at("x == [y < z]", 0, 3, 3));
  EXPECT_TRUE(truth_at("when y == 1: x == 5", 4, 2, 0));
  EXPECT_FALSE(truth_at("when y == 1: x == 5", 4, 1, 0));
  EXPECT_TRUE(truth_at("when y == 1 and z == 1: x == 5", 4, 1, 0));
  EXPECT_TRUE(truth_at("x in {1, 3..5}", 4, 0, 0));
  EXPECT_FALSE(truth_at("x in {1, 3..5}", 2, 0, 0));
  EXPECT_TRUE(truth_at("y + 2*z - x > 3", -1, 1, 1));
  EXPECT_FALSE(truth_at("y + 2*z - x > 3", 0, 1, 1));
}

TEST(Evaluate, never_wraps_around) {
  const std::int64_t big = largest_value;
  System system;
  const Var x = system.knob("x", Domain::everything()), y = system.knob("y", Domain::everything());
  const Var z = system.knob("z", Domain::everything()), w = system.knob("w", Domain::everything());
  const Product product{w, {x, y, z}};
  EXPECT_FALSE(holds(Body(product), {big, big, 4, 0}));  // 2^122, in 64 bits 0
  EXPECT_FALSE(holds(Body(product), {big, 16, 1, 0}));   // 2^64
  EXPECT_TRUE(holds(Body(product), {big, big, 0, 0}));
  EXPECT_TRUE(holds(Body(product), {-big, -1, 1, big}));
  EXPECT_FALSE(value_of(product, {big, 2, 1, 0}).has_value());
  // 3 · 2^120 − 3 · 2^120 on the way.
  const Linear sum{{{big, x}, {big, y}, {big, z}, {-big, w}}, 0, Relation::eq, 0};
  EXPECT_TRUE(holds(Body(sum), {big, big, -big, big}));
  EXPECT_FALSE(holds(Body(sum), {big, big, big, big}));
  EXPECT_NE(message_of([&] {
              system.post({"c", "", {}, Linear{{{big + 1, x}}, 0, Relation::le, 0}});
            }).find("2^60"),
            std::string::npos);
  EXPECT_NE(message_of([&] { system.knob("v", Domain::range(0, big + 1)); }).find("2^60"), std::string::npos);
  Linear many{{}, 0, Relation::le, 0};
  System wide;
  for (int i = 0; i < 65; ++i)
    many.terms.push_back({1, wide.knob("v" + std::to_string(i), Domain::of({0, 1}))});
  EXPECT_EQ(message_of([&] { wide.post({"c", "", {}, many}); }),
            "constraint \"c\": a sum of 65 terms is too long, at most 64 are allowed");
}

TEST(Text, prints_what_a_person_reads) {
  const System system = parse(R"(
    # a tile in a scratchpad
    knob m in 1..64 because "rows of a tile"
    knob n in {1, 2, 4, 8}
    define area = m * n because "elements of a tile"
    require fits: area <= 512 because "the scratchpad holds 512 elements"
    require "four lanes": when n > 1: 4 divides area
    require odd: 2*m + 3*n - 1 != area or m in {1, 5..9}
    require q: area == ceil_div(m + 1, n) * 3)");
  EXPECT_EQ(print(system), R"(knob m in 1..64 because "rows of a tile"
knob n in {1, 2, 4, 8}
define area in 1..512 = m * n because "elements of a tile"
require fits: area <= 512 because "the scratchpad holds 512 elements"
require "four lanes": when n > 1: 4 divides area
require odd: when area == 2*m + 3*n - 1: m in {1, 5..9}
define _1 in 2..65 = m + 1
define _2 in 0..66 = ceil_div(_1, n)
require q: area == 3*_2
)");
}

TEST(Text, round_trips_random_systems) {
  for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
    Random random(seed);
    const System system = random_system(random);
    const std::string text = print(system);
    const System again = parse(text, "printed");
    ASSERT_TRUE(again == system) << "seed " << seed << "\n" << text << "\nagain\n" << print(again);
    ASSERT_EQ(print(again), text);
  }
}

TEST(Json, round_trips_random_systems) {
  for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
    Random random(seed);
    const System system = random_system(random);
    const std::string text = to_json(system).dump();
    ASSERT_TRUE(from_json(nlohmann::json::parse(text)) == system) << "seed " << seed << "\n" << text;
  }
}

TEST(Json, round_trips_points_and_refuses_others) {
  const System system = parse("knob a in 1..8 knob b in 1..8 define c = a * b require r: c <= 12");
  const Point point = {3, 4, 12};
  EXPECT_EQ(point_from_json(system, to_json(system, point)), point);
  EXPECT_EQ(point_from_json(system, {{"a", 3}, {"b", 5}}), (Point{3, 5, 15}));
  EXPECT_EQ(message_of([&] { point_from_json(system, {{"a", 3}}); }),
            "point: knob b has no value; it may be one of 1..8");
  EXPECT_EQ(message_of([&] { point_from_json(system, {{"a", 3}, {"bb", 5}}); }),
            "point: there is no variable \"bb\"; did you mean b?");
  EXPECT_EQ(message_of([&] { point_from_json(system, {{"a", 3}, {"b", 5}, {"c", 4}}); }),
            "point: c is 15 by its definition, not 4; leave it out");
  EXPECT_EQ(message_of([&] { point_from_json(system, {{"a", 3}, {"b", 0.5}}); }),
            "point: b must be an integer within ±2^60");
}

TEST(Text, names_line_and_column_of_a_mistake) {
  EXPECT_EQ(parse_error("knob a in 1..4\nrequire r: a <= b"),
            "t:2:17: there is no variable \"b\"; did you mean a?");
  EXPECT_EQ(parse_error("knob in in 1..4"), "t:1:6: expected the name of a variable, found 'in'");
  EXPECT_EQ(parse_error("knob a in 1..4 knob a in {1}"), "t:1:16: there are two variables named a");
  EXPECT_EQ(parse_error("knob a in 4..1"), "t:1:11: the range 4..1 is empty; {} is the empty set");
  EXPECT_EQ(parse_error("knob a in {1, x}"), "t:1:15: expected a number, found 'x'");
  EXPECT_EQ(parse_error("a <= 4"), "t:1:1: expected 'knob', 'define' or 'require', found 'a'");
  EXPECT_EQ(parse_error("knob a in 1..4 require r: a"),
            "t:1:28: expected a comparison, 'in' or 'divides', found the end");
  EXPECT_EQ(parse_error("knob a in 1..4 require r: (a < 2) + 1 < 3"),
            "t:1:27: expected a term here, found a condition; [condition] is 1 where it holds, else 0");
  EXPECT_EQ(parse_error("knob a in 1..4 require r: a < 2 because so"),
            "t:1:41: expected a reason in quotes, found 'so'");
  EXPECT_EQ(parse_error("knob a in 1..4 require r: a < 99999999999999999999"),
            "t:1:31: expected a term, found a number beyond 2^60");
  EXPECT_EQ(parse_error("knob a in 1..4 require r: a < 2 because \"so"),
            "t:1:41: expected a reason in quotes, found a text without its closing quote");
  EXPECT_EQ(parse_error("knob a in 1..4\n  require r: a ? 2"),
            "t:2:16: expected a comparison, 'in' or 'divides', found the character '?'");
  EXPECT_EQ(parse_error("knob a in 1..4 define b = b + 1"),
            "t:1:27: there is no variable \"b\"; did you mean a?");
  EXPECT_EQ(parse_error("knob a in 1..4 require r: a * 1152921504606846976 * 4 < 1"),
            "t:1:16: a number in an expression lies beyond ±2^60; write it in larger units");
  EXPECT_EQ(parse_error("knob a in 1..4 require r: " + std::string(300, '(') + "a"),
            "t:1:127: this is nested too deeply; define parts of it");
  EXPECT_EQ(parse_error("knob a in 1..4 require r: ceil_div(a) < 1"),
            "t:1:27: ceil_div takes 2 arguments, not 1");
}

TEST(Json, names_the_field_of_a_mistake) {
  using nlohmann::json;
  const auto error = [](const char* text) {
    return message_of([&] { space::from_json(json::parse(text), "t"); });
  };
  EXPECT_EQ(error("[]"), "t: a system must be an object, not array");
  EXPECT_EQ(error(R"({"variables": []})"), "t: a system has no field \"constraints\"");
  EXPECT_EQ(error(R"({"variables": [{"name": "a", "domain": [[1, 2, 3]]}], "constraints": []})"),
            "t: field \"domain\" of variable 1 must be numbers and pairs [low, high], not [1,2,3]");
  EXPECT_EQ(error(R"({"variables": [{"name": "a", "domain": [1], "reasn": ""}], "constraints": []})"),
            "t: variable 1 has an unknown field \"reasn\"; the fields here are name, domain, reason; did you "
            "mean reason?");
  EXPECT_EQ(
      error(
          R"({"variables": [{"name": "a", "domain": [1]}], "constraints": [{"name": "c", "kind": "prods"}]})"),
      "t: constraint 1 has the unknown kind \"prods\"; the kinds are sum, in, divides, prod, select, min, "
      "max, "
      "floor_div, ceil_div, truth; did you mean prod?");
  EXPECT_EQ(error(R"({"variables": [{"name": "a", "domain": [1]}],
                      "constraints": [{"name": "c", "kind": "divides", "divisor": "b", "number": 4}]})"),
            "t: constraint 1 speaks of \"b\", which is no variable before it; did you mean a?");
  EXPECT_EQ(
      error(R"({"variables": [{"name": "a", "domain": [[1, 2000000000000000000]]}], "constraints": []})"),
      "t: field \"domain\" of variable 1 must be an integer within ±2^60, not 2000000000000000000");
  EXPECT_EQ(error(R"({"variables": [{"name": "a", "domain": [-9223372036854775808]}], "constraints": []})"),
            "t: field \"domain\" of variable 1 must be an integer within ±2^60, not -9223372036854775808");
}

TEST(System, refuses_what_is_no_system) {
  System system;
  const Var a = system.knob("a", Domain::range(1, 4));
  EXPECT_EQ(message_of([&] { system.knob("a b", Domain()); }),
            "\"a b\" cannot name a variable; names are letters, digits, _ and dots inside, and no word of "
            "the language");
  EXPECT_EQ(message_of([&] { system.post({"", "", {}, Member{a, {}}}); }), "a constraint has no name");
  EXPECT_EQ(message_of([&] { system.post({"c", "", {}, Member{Var{7}, {}}}); }),
            "constraint \"c\": variable number 7 is not one of this system's 1");
  EXPECT_EQ(message_of([&] { system.define("b", Domain::range(0, 1), Divides{a, 4}); }),
            "definition of b: divisibility defines no variable");
  EXPECT_EQ(message_of([&] { system.define("b", Domain::range(0, 1), Product{0, {a, Var{1}}}); }),
            "definition of b: the variable is defined by itself");
  EXPECT_EQ(message_of([&] { system.post({"c", "", {}, Extreme{a, true, {}}}); }),
            "constraint \"c\": max of nothing");
  EXPECT_EQ(system.variables().size(), 1);
  EXPECT_TRUE(system.constraints().empty());
}

}  // namespace
}  // namespace ardea::space
