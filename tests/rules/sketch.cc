#include "ardea/rules/sketch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "ardea/arith/load.h"
#include "ardea/interp/interpreter.h"
#include "ardea/ir/equal.h"
#include "ardea/ir/print.h"
#include "ardea/limits/limits.h"
#include "ardea/lower/limits_of.h"
#include "ardea/measure/check.h"
#include "ardea/measure/inputs.h"
#include "ardea/schedule/canon.h"
#include "ardea/schedule/script.h"
#include "ardea/space/engine.h"
#include "ardea/space/evaluate.h"
#include "ardea/space/tree.h"
#include "ardea/support/error.h"
#include "ardea/support/text_file.h"
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

std::vector<space::Point> solutions_of(const space::System& system) {
  std::vector<space::Point> all;
  space::for_each_solution(system, [&](const space::Point& point) { all.push_back(point); });
  return all;
}

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
  const auto given = measure::make_arguments(made.program, {.seed = 1});
  for (const space::Point& point : all) {
    const Function replayed = materialise(made, point).program();
    std::vector<std::pair<Var, std::int64_t>> numbers;
    for (std::size_t i = 0; i < made.knobs.size(); ++i)
      numbers.emplace_back(made.knobs[i].var, point[static_cast<std::size_t>(made.system.knobs()[i].index)]);
    const Function expected = schedule::canon(schedule::with_numbers(made.symbolic, numbers));
    ASSERT_EQ(first_difference(expected, schedule::canon(replayed)), "")
        << print(expected) << print(replayed);
    const auto after = measure::copy_arguments(given);
    interp::run(replayed, after);
    for (const measure::Comparison& c :
         measure::check(made.program, given, after, measure::Reference::interpreter).arguments)
      ASSERT_EQ(c.mismatches, 0) << print(replayed);
  }
}

/// Whether the numbers apply and what they make fits the machine: without the system's constraints.
bool is_valid(const Sketch& made, const space::Point& point, const target::Target& target) {
  try {
    const Function program = materialise(made, point).program();
    for (const limits::Bound& bound : limits::bounds_of(lower::limits_of(program, target), target)) {
      const auto taken = bound.taken.defined() ? limits::value_at(bound.taken, {}) : std::nullopt;
      if (bound.available && taken && *taken > *bound.available) return false;
    }
    return true;
  } catch (const Error&) {
    return false;
  }
}

/// What applies and fits is a solution: every tuple of the knobs' values is tried.
TEST_P(Sketches, lose_nothing_that_is_valid) {
  const Sketch made = sketch();
  space::System free;
  for (const schedule::Knob& knob : made.knobs) free.knob(knob.var.name(), space::Domain::of(knob.values));
  int tried = 0, valid = 0;
  for (const space::Point& tuple : solutions_of(free)) {
    const auto point = space::complete_knobs(made.system, tuple);
    const bool is_solution = point && space::is_solution(made.system, *point);
    const bool is_right = point && is_valid(made, *point, target());
    ASSERT_EQ(is_solution, is_right) << subject().name << " at " << fmt::format("{}", fmt::join(tuple, ", "));
    ++tried;
    valid += is_right ? 1 : 0;
  }
  EXPECT_GT(tried, valid);
  EXPECT_GT(valid, 8);
}

/// A tile of eight columns would be cut to the seven that there are, with numbers and not with variables.
TEST(Sketch, has_no_tile_that_is_longer_than_what_it_tiles) {
  const Function program = arith::load_program(gemm(6, 7, 3), "gemm.tir").functions[0];
  const Sketch made = make_sketch(program, target::find("generic-x86_64"), [](schedule::Schedule& s) {
    const auto c = s.get_block("C");
    const auto loops = s.get_loops(c);
    const auto sums = s.cache_write(c, 0, "local");
    const auto width = s.sample_categorical({2, 4, 7, 8}, {1, 1, 1, 1});
    const auto columns = s.split(loops[1], {schedule::none, width});
    s.reorder(loops[0], columns[0], loops[2], columns[1]);
    s.reverse_compute_at(sums, columns[0]);
  });
  std::vector<std::int64_t> widths;
  for (const space::Point& point : solutions_of(made.system)) widths.push_back(point[0]);
  EXPECT_EQ(widths, (std::vector<std::int64_t>{2, 4, 7}));
}

INSTANTIATE_TEST_SUITE_P(All, Sketches, ::testing::Range<std::size_t>(0, cases().size()),
                         [](const auto& info) { return cases()[info.param].name; });

}  // namespace

}  // namespace ardea::rules
