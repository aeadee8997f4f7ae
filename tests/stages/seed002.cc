#include <gtest/gtest.h>

#include <cmath>

#include "ardea/ir/parse.h"
#include "ardea/ir/traverse.h"
#include "ardea/support/text_file.h"
#include "ardea/te/compute.h"
#include "ardea/te/math.h"
#include "tests/stages/run.h"

/// F = exp(A · B) · E under the stage schedules of the second seed, against the programs that it prints.

namespace ardea::stages {
namespace {

struct Sizes {
  std::int64_t m = 1024, k = 2048, l = 1024, n = 3072;
};

struct Products {
  explicit Products(const Sizes& size)
      : A(te::placeholder("A", {size.m, size.k})),
        B(te::placeholder("B", {size.k, size.l})),
        E(te::placeholder("E", {size.l, size.n})),
        rk(te::reduce_axis(size.k, "rk")),
        rl(te::reduce_axis(size.l, "rl")),
        C(te::compute("C", {{"m", size.m}, {"l", size.l}},
                      [&](const Var& m, const Var& l) { return te::sum(A(m, rk) * B(rk, l), {rk}); })),
        D(te::compute("D", {{"m", size.m}, {"l", size.l}},
                      [&](const Var& m, const Var& l) { return te::exp(C(m, l)); })),
        F(te::compute("F", {{"m", size.m}, {"n", size.n}},
                      [&](const Var& m, const Var& n) { return te::sum(D(m, rl) * E(rl, n), {rl}); })) {}

  te::Tensor A, B, E;
  te::Axis rk, rl;
  te::Tensor C, D, F;
};

void naive(const Schedule&, const Products&) {}

void reorder(const Schedule& s, const Products& p) {
  for (const te::Tensor& t : {p.C, p.F}) {
    const OperationAxes axes = op(t);
    s[t].reorder(axes.axis[0], axes.reduce_axis[0], axes.axis[1]);
  }
}

void tile_k(const Schedule& s, const Products& p) {
  for (const te::Tensor& t : {p.C, p.F}) {
    const auto [ko, ki] = s[t].split(op(t).reduce_axis[0], 8);
    s[t].reorder(ko, op(t).axis[0], ki, op(t).axis[1]);
  }
}

void tile_all(const Schedule& s, const Products& p) {
  for (const te::Tensor& t : {p.C, p.F}) {
    const auto [mo, mi] = s[t].split(op(t).axis[0], 16);
    const auto [ko, ki] = s[t].split(op(t).reduce_axis[0], 8);
    const auto [lo, li] = s[t].split(op(t).axis[1], 8);
    s[t].reorder(mo, lo, ko, mi, ki, li);
  }
}

struct Chapter {
  const char* fixture;
  void (*schedule)(const Schedule&, const Products&);
};
constexpr Chapter chapters[] = {{"lowered_naive.tir", naive},
                                {"lowered_reorder.tir", reorder},
                                {"lowered_tile_k.tir", tile_k},
                                {"lowered_tile_all.tir", tile_all}};

Function listing(const std::string& name) {
  return parse(read_text_file(ARDEA_SOURCE_DIR "/tests/fixtures/seed002/" + name)).functions[0];
}

/// The listing keeps F to itself; this one gives it out.
Function listing_with_result(const std::string& name) {
  Function f = listing(name);
  f.body = rewrite(f.body, Rewriter{.stmt_after = [&](const Stmt& s) {
                     const auto* allocate = s.as<Allocate>();
                     if (allocate == nullptr || allocate->data.name() != "F") return s;
                     BufferNode result{*make_buffer("F", {make_int(std::int64_t{1024} * 3072)}, float32)};
                     result.data = allocate->data;
                     f.parameters.push_back({Var("F_handle", handle_type), Buffer(result)});
                     return allocate->body;
                   }});
  return f;
}

TEST(Seed002, has_the_loops_of_the_listings) {
  for (const Chapter& chapter : chapters) {
    SCOPED_TRACE(chapter.fixture);
    const Products p{Sizes{}};
    const Schedule s = create_schedule({p.C, p.D, p.F});
    chapter.schedule(s, p);
    EXPECT_EQ(test::loops_of(lower(s, {p.A, p.B, p.E, p.F}).function),
              test::loops_of(listing(chapter.fixture)));
  }
}

TEST(Seed002, computes_the_same_on_odd_sizes) {
  for (const Chapter& chapter : chapters) {
    SCOPED_TRACE(chapter.fixture);
    const Products p({37, 21, 10, 19});
    const Schedule s = create_schedule({p.C, p.D, p.F});
    chapter.schedule(s, p);
    test::expect_same_answers(lower(s, {p.A, p.B, p.E, p.F}));
  }
}

/// All inputs are positive, so that no sum cancels: the relative error of one product is at most half a unit
/// in the last place for each addition, that of exp(x) the error of x, which is below 1.
TEST(Seed002, computes_what_the_listing_computes_at_full_size) {
  const Products p{Sizes{}};
  const Schedule s = create_schedule({p.C, p.D, p.F});
  tile_all(s, p);
  const Function f = lower(s, {p.A, p.B, p.E, p.F}).function;
  const std::vector<runtime::Array> ours = test::arrays_for(f, 0.03);
  test::call_compiled(f, ours);
  const Function seed = listing_with_result("lowered_tile_all.tir");
  std::vector<runtime::Array> theirs = ours;
  theirs[3] = runtime::Array::empty({std::int64_t{1024} * 3072}, float32);
  test::call_compiled(seed, theirs);
  const double tolerance = 2 * 6e-8 * (2048 + 1024 + 8);
  const auto a = ours[3].values<float>(), b = theirs[3].values<float>();
  for (std::size_t i = 0; i < a.size(); ++i)
    ASSERT_NEAR(a[i], b[i], tolerance * std::abs(b[i])) << "element " << i;
}

}  // namespace
}  // namespace ardea::stages
