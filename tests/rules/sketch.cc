#include "ardea/rules/sketch.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ardea/arith/load.h"
#include "ardea/ir/equal.h"
#include "ardea/schedule/canon.h"
#include "ardea/schedule/script.h"
#include "ardea/space/engine.h"
#include "ardea/space/tree.h"
#include "ardea/support/text_file.h"
#include "tests/rules/answers.h"
#include "tests/rules/laws.h"
#include "tests/schedule/gemm_template.h"

namespace ardea::rules {

namespace {

/// A program and a script that samples its numbers.
struct Case {
  std::string name, program, script;
};

std::string gemm(int m, int n, int k) {
  return fmt::format(
             "@T.prim_func\ndef main(A: T.Buffer(({0}, {2}), \"float32\"), B: T.Buffer(({2}, {1}), "
             "\"float32\"), C: T.Buffer(({0}, {1}), \"float32\")):\n",
             m, n, k) +
         schedule::gemm_nest(std::to_string(m), std::to_string(n), std::to_string(k));
}

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"tiles_and_caches", gemm(6, 4, 9), R"(
c = sch.get_block("C")
i, j, k = sch.get_loops(c)
sums = sch.cache_write(c, 0, "local")
i0, i1 = sch.sample_perfect_tile(i, 2, 64)
j0, j1 = sch.sample_perfect_tile(j, 2, 64)
k0, k1 = sch.sample_perfect_tile(k, 2, 64)
io, ii = sch.split(i, [i0, i1])
jo, ji = sch.split(j, [j0, j1])
ko, ki = sch.split(k, [k0, k1])
sch.reorder(io, jo, ko, ki, ii, ji)
sch.reverse_compute_at(sums, jo)
b = sch.cache_read(c, 1, "global")
sch.compute_at(b, ko)
sch.decompose_reduction(c, ko)
sch.vectorize(ji)
sch.parallel(io)
)"},
      {"registers", gemm(12, 32, 5),
       read_text_file(std::string(ARDEA_SOURCE_DIR) + "/examples/gemm_space.py")},
      {"halo", R"(@T.prim_func
def main(A: T.Buffer((27,), "float32"), C: T.Buffer((24,), "float32")):
    B = T.alloc_buffer((26,))
    for i in range(26):
        with T.block("B"):
            v = T.axis.spatial(26, i)
            B[v] = A[v] + A[v + 1]
    for i in range(24):
        with T.block("C"):
            v = T.axis.spatial(24, i)
            C[v] = B[v] * B[v + 2]
)",
       R"(
b = sch.get_block("B")
c = sch.get_block("C")
i, = sch.get_loops(c)
t = sch.sample_perfect_tile(i, 3, 8)
io, im, ii = sch.split(i, t)
sch.compute_at(b, im)
sch.set_scope(b, 0, "local")
sch.vectorize(ii)
sch.parallel(io)
)"},
  };
  return all;
}

class Sketches : public ::testing::TestWithParam<std::size_t> {
 protected:
  const Case& subject() const { return cases()[GetParam()]; }
  Function program() const { return arith::load_program(subject().program, "case.tir").functions[0]; }
  target::Target target() const { return target::find("generic-x86_64"); }
  Sketch sketch() const {
    return make_sketch(program(), target(), [&](schedule::Schedule& s) {
      s.replay(schedule::parse_steps(subject().script, "case.py"));
    });
  }
};

/// Every solution applies; the symbolic program with its numbers is the replay; it computes what the program
/// did.
TEST_P(Sketches, have_no_solution_that_is_refused) {
  const Sketch made = sketch();
  const std::vector<space::Point> all = solutions_of(made.system);
  ASSERT_GE(all.size(), 9U);
  const space::Engine engine(made.system);
  const auto tree = space::Tree::build(engine, {});
  ASSERT_TRUE(std::holds_alternative<space::Tree>(tree));
  EXPECT_EQ(std::get<space::Tree>(tree).count(), all.size());
  const Answers answers(made.program);
  for (const space::Point& point : all) {
    const Function replayed = replayed_by_the_law(made, point);
    ASSERT_FALSE(HasFailure());
    answers.expect_of(replayed);
  }
}

/// What applies and fits is a solution: every tuple of the knobs' values is tried.
TEST_P(Sketches, lose_nothing_that_is_valid) {
  const Tried tried = expect_nothing_lost(sketch(), target());
  EXPECT_GT(tried.all, tried.valid);
  EXPECT_GT(tried.valid, 8);
}

/// Tiles that do not divide, and one of all columns: conditions cut them, with numbers as with variables.
TEST(Sketch, has_the_form_of_its_replay_where_tiles_do_not_divide) {
  const Function program = arith::load_program(gemm(6, 7, 3), "gemm.tir").functions[0];
  const Sketch made = make_sketch(program, target::find("generic-x86_64"), [](schedule::Schedule& s) {
    const auto c = s.get_block("C");
    const auto loops = s.get_loops(c);
    const auto sums = s.cache_write(c, 0, "local");
    const auto width = s.sample_categorical({2, 4, 7}, {1, 1, 1});
    const auto columns = s.split(loops[1], {schedule::none, width});
    s.reorder(loops[0], columns[0], loops[2], columns[1]);
    s.reverse_compute_at(sums, columns[0]);
  });
  std::vector<std::int64_t> widths;
  for (const space::Point& point : solutions_of(made.system)) {
    widths.push_back(point[0]);
    const Function replayed = materialise(made, point).program();
    EXPECT_EQ(first_difference(
                  schedule::canon(schedule::with_numbers(made.symbolic, {{made.knobs[0].var, point[0]}})),
                  schedule::canon(replayed)),
              "")
        << "width " << point[0];
  }
  EXPECT_EQ(widths, (std::vector<std::int64_t>{2, 4, 7}));
}

INSTANTIATE_TEST_SUITE_P(All, Sketches, ::testing::Range<std::size_t>(0, cases().size()),
                         [](const auto& info) { return cases()[info.param].name; });

}  // namespace

}  // namespace ardea::rules
