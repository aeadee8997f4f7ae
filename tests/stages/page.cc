#include <gtest/gtest.h>

#include <algorithm>

#include "ardea/support/text_file.h"
#include "ardea/te/compute.h"
#include "ardea/te/math.h"
#include "tests/stages/run.h"
#include "tests/te/refused.h"

/// docs/stages.md: what it shows is what is run here, and what it quotes is what is said.

namespace ardea::stages {
namespace {

std::string contents(const std::string& path) { return read_text_file(ARDEA_SOURCE_DIR "/" + path); }

std::string without_spaces(std::string text) {
  std::erase_if(text, [](unsigned char c) { return std::isspace(c) != 0; });
  return text;
}

std::string page() { return contents("docs/stages.md"); }

/// The blocks of the page in that language.
std::vector<std::string> blocks(const std::string& language) {
  const std::string text = page(), begin = "```" + language + "\n", end = "\n```";
  std::vector<std::string> found;
  for (std::size_t at = text.find(begin); at != std::string::npos; at = text.find(begin, at)) {
    at += begin.size();
    found.push_back(text.substr(at, text.find(end, at) - at));
  }
  return found;
}

/// The statement is refused with a sentence that the page quotes.
#define EXPECT_QUOTED(statement)                                                            \
  try {                                                                                     \
    static_cast<void>(statement);                                                           \
    ADD_FAILURE() << "not refused: " << #statement;                                         \
  } catch (const Error& error) {                                                            \
    EXPECT_NE(without_spaces(page()).find(without_spaces(error.what())), std::string::npos) \
        << "docs/stages.md does not quote: " << error.what();                               \
  }

TEST(Page, shows_code_that_is_run) {
  const std::string run =
      without_spaces(contents("tests/stages/page.cc") + contents("examples/stages/stages.cc"));
  ASSERT_GE(blocks("cpp").size(), 5u);
  for (const std::string& block : blocks("cpp"))
    EXPECT_NE(run.find(without_spaces(block)), std::string::npos) << block;
}

struct Product {
  te::Tensor A = te::placeholder("A", {32, 32}), B = te::placeholder("B", {32, 32});
  te::Axis k = te::reduce_axis(32, "k");
  te::Tensor C = te::compute("C", {{"i", 32}, {"j", 32}},
                             [&](const Var& i, const Var& j) { return te::sum(A(i, k) * B(k, j), {k}); });
};

TEST(Page, answers_has_already_been_split) {
  const Product p;
  const te::Tensor &A = p.A, &B = p.B, &C = p.C;
  const Schedule s = create_schedule({C});
  auto [mo, mi] = s[C].split(op(C).axis[0], {.factor = 16});
  auto [no, ni] = s[C].split(op(C).axis[1], {.factor = 16});
  auto [mio, mii] = s[C].split(mi, {.factor = 4});
  EXPECT_QUOTED(s[C].reorder(mo, no, mi, ni));
  s[C].reorder(mo, no, mio, ni, mii);
  test::expect_same_answers(lower(s, {A, B, C}));
}

TEST(Page, answers_reorder_of_a_reduce_axis) {
  const Product p;
  const te::Tensor &A = p.A, &B = p.B, &C = p.C;
  const Schedule s = create_schedule({C});
  s[C].reorder(op(C).axis[0], s[C].op().reduce_axis[0], op(C).axis[1]);
  test::expect_same_answers(lower(s, {A, B, C}));
}

TEST(Page, answers_several_results_of_one_stage) {
  const te::Tensor A = te::placeholder("A", {6, 9});
  te::Axis k = te::reduce_axis(9, "k");
  std::vector<te::Tensor> B = te::compute_all("B", {{"i", 6}}, [&](const Var& i) {
    return std::vector<te::Reduction>{te::sum(A(i, k), {k}), te::sum(A(i, k) * A(i, k), {k})};
  });
  te::Tensor C = te::compute("C", {{"i", 6}}, [&](const Var& i) { return B[1](i) - B[0](i) * B[0](i); });
  Schedule s = create_schedule({C});
  s[B[0]].compute_at(s[C], op(C).axis[0]);  // and B[1] with it
  test::expect_same_answers(lower(s, {A, C}));
  const te::Axis k1 = te::reduce_axis(9, "k1"), k2 = te::reduce_axis(9, "k2");
  EXPECT_QUOTED(te::compute_all("B", {{"i", 6}}, [&](const Var& i) {
    return std::vector<te::Reduction>{te::sum(A(i, k1), {k1}), te::sum(A(i, k2), {k2})};
  }));
  EXPECT_QUOTED(te::compute("D", {{"i", 6}}, [&](const Var& i) { return te::sum(A(i, k), {k}); }));
}

TEST(Page, answers_compute_at_as_alignment) {
  te::Tensor A = te::placeholder("A", {34, 64});
  te::Tensor B =
      te::compute("B", {{"y", 34}, {"x", 64}}, [&](const Var& y, const Var& x) { return A(y, x) * 2; });
  te::Tensor C = te::compute("C", {{"y", 32}, {"x", 64}},
                             [&](const Var& y, const Var& x) { return B(y, x) + B(y + 1, x) + B(y + 2, x); });
  Schedule s = create_schedule({C});
  auto [yo, yi] = s[C].split(op(C).axis[0], {.factor = 8});
  s[B].compute_at(s[C], yo);  // y of B runs over 10 rows, x over all 64
  const Lowered lowered = lower(s, {A, C});
  test::expect_same_answers(lowered);
  EXPECT_EQ(test::loops_of(lowered.function),
            (std::vector<std::string>{"y_outer 4", "y 10", "x 64", "y_inner 8", "x 64"}));
  const Schedule other = create_schedule({C});
  other[C].reorder(op(C).axis[1], op(C).axis[0]);
  EXPECT_QUOTED(other[B].compute_at(s[C], yo));
  EXPECT_QUOTED(other[C].compute_at(other[B], op(B).axis[0]));
}

TEST(Page, shows_a_cache_stage) {
  const Product p;
  const te::Tensor &A = p.A, &B = p.B, &C = p.C;
  const te::Axis& k = p.k;
  const Schedule s = create_schedule({C});
  te::Tensor CL = s.cache_write(C, "global");
  auto [mo, no, mi, ni] = s[C].tile(op(C).axis[0], op(C).axis[1], 8, 8);
  s[CL].compute_at(s[C], no);
  auto [ko, ki] = s[CL].split(k, {.factor = 4});
  s[CL].reorder(ko, s[CL].op().axis[0], ki, s[CL].op().axis[1]);
  s[CL].vectorize(s[CL].op().axis[1]);
  s[C].parallel(mo);
  test::expect_same_answers(lower(s, {A, B, C}));
}

TEST(Page, shows_partial_results) {
  const Product p;
  const te::Tensor &A = p.A, &B = p.B, &C = p.C;
  const te::Axis& k = p.k;
  const Schedule s = create_schedule({C});
  auto [ko, ki] = s[C].split(k, {.factor = 8});
  te::Tensor CF = s.rfactor(C, ko);  // CF[k.outer, i, j] sums over k.inner; C sums CF over k.outer.v
  s[CF].parallel(s[CF].op().axis[0]);
  test::expect_same_answers(lower(s, {A, B, C}));
}

TEST(Page, quotes_a_refusal_of_the_engine) {
  const Product p;
  const te::Tensor &A = p.A, &B = p.B, &C = p.C;
  const Schedule s = create_schedule({C});
  s[C].parallel(p.k);
  EXPECT_QUOTED(lower(s, {A, B, C}));
}

}  // namespace
}  // namespace ardea::stages
