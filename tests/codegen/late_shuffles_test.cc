#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ardea/codegen/llvm/codegen.h"
#include "tests/codegen/lowered.h"

/// Windows that are some apart: lines of them are put together before their columns are taken apart.

namespace ardea::test {
namespace {

constexpr int window_lanes = 4;
constexpr std::int64_t line_elements = 4 * window_lanes;

using Lanes = std::vector<std::int64_t>;
const Lanes even_lanes = {0, 2, 4, 6}, odd_lanes = {1, 3, 5, 7}, next_lane = {1, 2, 3, 4};

using Operation = std::function<Expr(const Expr&, const Expr&)>;
/// A line's vectors taken apart, each made once: every second lane of the first two vectors, the others, and
/// every second lane of the next two.
struct Line {
  Var evens, odds, evens_further_on;
  int number;
};
using OfLine = std::function<Expr(const Line&)>;

/// out[i] = op(what results[i] makes of line 0, of line 1, …).
Function windows(int lines, const std::vector<OfLine>& results, const Operation& op) {
  const Buffer in = flat("in", lines * line_elements, float32),
               out = flat("out", std::ssize(results) * window_lanes, float32);
  std::vector<std::pair<Var, Expr>> named;
  const auto name = [&](const Expr& value) {
    named.emplace_back(Var("lanes", value.type()), value);
    return named.back().first;
  };
  std::vector<Line> all;
  for (int l = 0; l < lines; ++l) {
    std::vector<Expr> rows;
    for (std::int64_t row = 0; row < line_elements / window_lanes; ++row) {
      const Expr first = make_int(l * line_elements + row * window_lanes);
      rows.emplace_back(name(make_load(in, {make_ramp(first, make_int(1), window_lanes)})));
    }
    all.push_back({name(make_shuffle({rows[0], rows[1]}, even_lanes)),
                   name(make_shuffle({rows[0], rows[1]}, odd_lanes)),
                   name(make_shuffle({rows[2], rows[3]}, even_lanes)), l});
  }
  std::vector<Stmt> stores;
  for (std::size_t i = 0; i < results.size(); ++i) {
    Expr value = results[i](all[0]);
    for (std::size_t l = 1; l < all.size(); ++l) value = op(value, results[i](all[l]));
    const Expr first = make_int(static_cast<std::int64_t>(i) * window_lanes);
    stores.push_back(make_store(out, {make_ramp(first, make_int(1), window_lanes)}, value));
  }
  Stmt body = make_seq(stores);
  for (auto at = named.rbegin(); at != named.rend(); ++at) body = LetStmt{at->first, at->second, body};
  return entry("windows", {in, out}, body, {{"tir.noalias", Attribute{make_bool(true)}}});
}

const OfLine even_columns = [](const Line& line) { return Expr(line.evens); };
const OfLine odd_columns = [](const Line& line) { return Expr(line.odds); };
const OfLine even_columns_further_on = [](const Line& line) {
  return make_shuffle({line.evens, line.evens_further_on}, next_lane);
};

/// Other lanes in every second line: no two that follow each other are shuffled alike.
const OfLine columns_in_turn = [](const Line& line) {
  return Expr(line.number % 2 == 0 ? line.evens : line.odds);
};
const OfLine columns_in_turn_further_on = [](const Line& line) {
  return Expr(line.number % 2 == 0 ? line.odds : line.evens);
};

Expr greater_of(const Expr& a, const Expr& b) { return make_binary(BinaryOp::max, a, b); }
Expr sum_of(const Expr& a, const Expr& b) { return a + b; }

struct CountedShuffles {
  int shuffles = 0, operations = 0;
  bool operator==(const CountedShuffles&) const = default;
};

CountedShuffles counted_shuffles(const Function& f,
                                 const std::string& operation = "call <4 x float> @llvm.maximum") {
  std::string text = codegen::llvm_ir(std::vector{f}, target::find("neoverse-v1"), {.contract = false});
  const auto count = [&](const std::string& what) {
    int found = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
    return found;
  };
  return {count("= shufflevector"), count(operation)};
}

TEST(LateShuffles, take_lines_apart_once) {
  EXPECT_EQ(counted_shuffles(windows(3, {even_columns, odd_columns}, greater_of)), (CountedShuffles{2, 4}));
  EXPECT_EQ(counted_shuffles(windows(5, {even_columns, odd_columns}, greater_of)), (CountedShuffles{2, 8}));
  EXPECT_EQ(counted_shuffles(windows(3, {even_columns, odd_columns}, sum_of), "fadd <4 x float>"),
            (CountedShuffles{2, 4}));
}

/// What windows further on begin with is there already: only its vectors' other half is made anew.
TEST(LateShuffles, use_what_is_there) {
  EXPECT_EQ(counted_shuffles(windows(3, {even_columns, odd_columns, even_columns_further_on}, greater_of)),
            (CountedShuffles{3, 4 + 2}));
}

TEST(LateShuffles, stay_where_nothing_is_saved) {
  EXPECT_EQ(counted_shuffles(windows(3, {even_columns}, greater_of)), (CountedShuffles{3, 2}));
}

TEST(LateShuffles, change_no_answer) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr int lines = 3;
  std::vector<double> numbers;
  for (int i = 0; i < lines * line_elements; ++i)
    numbers.push_back(i % 7 == 3 ? -0.0 : std::sin(i) * (i % 5));
  numbers[5] = nan;
  numbers[2 * line_elements + 9] = std::numeric_limits<double>::infinity();
  for (const bool adds : {false, true}) {
    SCOPED_TRACE(adds);
    const runtime::Array in = floats(numbers, float32),
                         out = floats(std::vector<double>(5 * window_lanes), float32);
    const std::vector<OfLine> results = {even_columns, odd_columns, even_columns_further_on, columns_in_turn,
                                         columns_in_turn_further_on};
    compile(windows(lines, results, adds ? sum_of : greater_of))(in, out);
    for (int result = 0; result < 5; ++result)
      for (int lane = 0; lane < window_lanes; ++lane) {
        float expected = 0;
        for (int l = 0; l < lines; ++l) {
          const int column = 2 * lane + (result < 3 ? result : (l + result + 1) % 2);
          const auto term = static_cast<float>(numbers[static_cast<std::size_t>(l * line_elements + column)]);
          if (l == 0)
            expected = term;
          else if (adds)
            expected += term;
          else
            expected = std::isnan(expected) || std::isnan(term) ? NAN : std::max(expected, term);
        }
        const double found = out.get_float(result * window_lanes + lane);
        if (std::isnan(expected))
          EXPECT_TRUE(std::isnan(found));
        else
          EXPECT_EQ(found, expected) << result << " " << lane;
      }
  }
}

/// Maxima of vectors are a range on machines that have it, after everything else.
TEST(RangeExtremes, are_used_where_they_are) {
  const auto assembly = [](const char* name) {
    return codegen::assembly(std::vector{windows(3, {even_columns, odd_columns}, greater_of)},
                             target::find(name), {});
  };
  EXPECT_NE(assembly("sapphirerapids").find("vrangeps"), std::string::npos);
  EXPECT_EQ(assembly("avx2").find("vrangeps"), std::string::npos);
}

}  // namespace
}  // namespace ardea::test
