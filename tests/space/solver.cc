#include "ardea/space/solver.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "ardea/space/evaluate.h"
#include "ardea/space/parse.h"
#include "ardea/space/print.h"
#include "ardea/support/error.h"
#include "tests/space/random_system.h"
#include "tests/space/tensor_core_gemm.h"

namespace ardea::space {
namespace {

using testing::all_solutions;
using testing::random_system;
using testing::tensor_core_gemm;

/// So small a limit that every tree meets it.
SolverOptions by_walks(int threads = 1) { return {.tree = {.work = 0}, .walks = {.threads = threads}}; }

Constraint one_of(Var v, const std::vector<std::int64_t>& values) {
  return {"one_of", "", {}, Member{v, Domain::of(values)}};
}

/// The largest total variation between the marginals of samples and those of all solutions.
double worst_marginal(const System& system, const std::vector<Point>& samples,
                      const std::vector<Point>& all) {
  double worst = 0;
  for (const Var knob : system.knobs()) {
    const auto k = static_cast<std::size_t>(knob.index);
    std::map<std::int64_t, double> difference;
    for (const Point& point : samples) difference[point[k]] += 1.0 / static_cast<double>(samples.size());
    for (const Point& point : all) difference[point[k]] -= 1.0 / static_cast<double>(all.size());
    double distance = 0;
    for (const auto& [value, d] : difference) distance += std::abs(d) / 2;
    worst = std::max(worst, distance);
  }
  return worst;
}

TEST(Solver, says_which_method_serves_and_why) {
  const System system = parse("knob a in 1..4 knob b in 1..4 require r: a * b == 4");
  const Solver exact(system);
  EXPECT_EQ(exact.method(), Method::tree);
  EXPECT_EQ(exact.count().exact, 3);
  EXPECT_NE(exact.why().find("all 3 solutions are enumerated"), std::string::npos) << exact.why();
  const Solver walks(system, by_walks());
  EXPECT_EQ(walks.method(), Method::walks);
  EXPECT_NE(walks.why().find("the tree met its limit of work"), std::string::npos) << walks.why();
  EXPECT_EQ(walks.count().exact, std::nullopt);
  try {
    const Solver refused(parse("knob a in 1..1000000000000 require r: a % 7 != 3"));
    FAIL() << "nothing can serve this";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("knob a has values beyond 32 bits"), std::string::npos)
        << error.what();
  }
}

TEST(Solver, samples_only_solutions_by_either_method) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Random random(seed);
    const System system = random_system(random);
    const std::size_t count = all_solutions(system).size();
    for (const SolverOptions& options : {SolverOptions{}, by_walks()}) {
      const Samples samples = Solver(system, options).sample(20, seed);
      ASSERT_EQ(samples.points.size(), count == 0 ? 0 : 20) << "seed " << seed << "\n" << print(system);
      for (const Point& point : samples.points) ASSERT_TRUE(is_solution(system, point)) << "seed " << seed;
    }
  }
}

TEST(Solver, estimates_counts_within_their_errors) {
  int outside = 0, asked = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Random random(seed);
    const System system = random_system(random);
    const auto count = static_cast<double>(all_solutions(system).size());
    if (count < 5) continue;
    const Count estimate = Solver(system, by_walks()).count(seed);
    ++asked;
    outside += std::abs(estimate.value - count) > 3 * estimate.error + 1e-9 * count ? 1 : 0;
  }
  EXPECT_GT(asked, 40);
  EXPECT_LE(outside, asked / 25);  // three standard errors, of errors that are estimated too
}

TEST(Solver, walks_are_near_uniform_on_a_space_of_tensor_cores) {
  const System system = tensor_core_gemm(256, 192, 128);
  const Solver exact(system);
  ASSERT_EQ(exact.method(), Method::tree);
  std::vector<Point> all;
  for (std::uint64_t i = 0; i < exact.tree()->count(); ++i) all.push_back(exact.tree()->point(i));
  const Samples samples = Solver(system, by_walks()).sample(4000, 5);
  EXPECT_EQ(samples.alarm, "");
  EXPECT_LE(worst_marginal(system, samples.points, all), 0.03);
  const Count estimate = Solver(system, by_walks()).count(3);
  EXPECT_NEAR(estimate.value, static_cast<double>(all.size()), 4 * estimate.error);
  EXPECT_LE(worst_marginal(system, exact.sample(4000, 5).points, all), 0.03);
  // Unweighted walks are far from uniform: the resampling is what does it.
  const GecodeModel model(exact.engine());
  Random random(1);
  std::vector<Point> plain;
  while (plain.size() < 2000)
    if (auto walk = model.walk(random)) plain.push_back(std::move(walk->point));
  EXPECT_GT(worst_marginal(system, plain, all), 0.08);
}

TEST(Solver, counts_the_space_of_tensor_cores) {
  EXPECT_EQ(Solver(tensor_core_gemm(1024, 1024, 1024)).count().exact, 197468);
}

TEST(Solver, answers_the_same_with_any_number_of_threads) {
  const System system = tensor_core_gemm(256, 192, 128);
  const std::vector<Constraint> extra = {one_of(system.get("m_warp"), {1, 2})};
  for (const bool tree : {true, false}) {
    SolverOptions one = tree ? SolverOptions{} : by_walks(1), three = tree ? SolverOptions{} : by_walks(3);
    three.walks.threads = 3;
    const Solver a(system, one), b(system, three);
    EXPECT_EQ(a.sample(300, 7).points, b.sample(300, 7).points);
    EXPECT_EQ(a.sample(50, 7, extra).points, b.sample(50, 7, extra).points);
    EXPECT_EQ(a.count().value, b.count().value);
    EXPECT_NE(a.sample(300, 7).points, a.sample(300, 8).points);
    const std::vector<std::vector<Constraint>> questions(40, extra);
    const std::vector<Found> x = a.solve_all(questions, 3), y = b.solve_all(questions, 3);
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(x[i].point, y[i].point);
    EXPECT_NE(x[0].point, x[1].point);
  }
}

TEST(Solver, solves_with_more_constraints_and_forgets_them) {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    Random random(seed);
    const System system = random_system(random);
    const Solver solver(system);
    for (int turn = 0; turn < 5; ++turn) {
      System more = system;
      std::vector<Constraint> extra;
      const Var v{
          static_cast<int>(random.integer(0, static_cast<std::int64_t>(system.variables().size()) - 1))};
      extra.push_back(one_of(v, {random.integer(-2, 6), random.integer(-2, 6)}));
      if (random.chance(0.5))
        extra.push_back(
            {"less", "", {}, Linear{{{1, v}, {1, Var{0}}}, 0, Relation::le, random.integer(0, 9)}});
      for (const Constraint& constraint : extra) more.post(constraint);
      const bool possible = !all_solutions(more).empty();
      const Found found = solver.solve(extra, seed);
      ASSERT_EQ(found.answer, possible ? Answer::yes : Answer::no) << "seed " << seed << "\n" << print(more);
      ASSERT_TRUE(!possible || is_solution(more, found.point));
    }
    ASSERT_EQ(solver.solve({}, seed).answer, all_solutions(system).empty() ? Answer::no : Answer::yes);
  }
}

TEST(Solver, asks_extra_constraints_again_after_each_other) {
  // The second fixes y when all else is fixed; the first is decided only then: an even number is never odd.
  const System system = parse("knob w in {3, 5} knob x in {-2, 2} knob z in 0..3 knob y in -30..30");
  const Var w = system.get("w"), x = system.get("x"), y = system.get("y"), z = system.get("z");
  const std::vector<Constraint> extra = {{"first", "", {}, Product{w, {x, y}}},
                                         {"second", "", {}, Linear{{{1, z}}, -1, Relation::eq, y}}};
  EXPECT_EQ(Solver(system).solve(extra, 1).answer, Answer::no);
}

TEST(Solver, finds_in_the_tree_what_sets_of_values_leave) {
  int solved = 0, refuted = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Random random(seed);
    const System system = random_system(random);
    const std::vector<Point> all = all_solutions(system);
    const Solver by_tree(system);
    ASSERT_EQ(by_tree.method(), Method::tree);
    const Solver walks(system, by_walks());
    for (int question = 0; question < 4; ++question) {
      std::vector<Constraint> extra;
      for (const Var knob : system.knobs()) {
        if (random.chance(0.4)) continue;
        std::vector<std::int64_t> values;
        for (const std::int64_t value : system[knob].domain.values())
          if (random.chance(0.5)) values.push_back(value);
        extra.push_back(one_of(knob, values));
        if (random.chance(0.1)) extra.push_back(one_of(knob, system[knob].domain.values()));
      }
      std::vector<Point> left;
      for (const Point& point : all)
        if (std::all_of(extra.begin(), extra.end(), [&](const Constraint& c) { return holds(c, point); }))
          left.push_back(point);
      (left.empty() ? refuted : solved)++;
      for (const Solver* solver : {&by_tree, &walks}) {
        const Found found = solver->solve(extra, seed);
        ASSERT_EQ(found.answer, left.empty() ? Answer::no : Answer::yes) << "seed " << seed;
        const Found near =
            solver->nearest(left.empty() ? Point(system.variables().size()) : random.pick(left), extra);
        ASSERT_EQ(near.answer, found.answer) << "seed " << seed;
        if (left.empty()) continue;
        for (const Found* one : {&found, &near})
          ASSERT_NE(std::find(left.begin(), left.end(), one->point), left.end()) << "seed " << seed;
      }
    }
  }
  EXPECT_GT(solved, 100);
  EXPECT_GT(refuted, 100);
}

TEST(Solver, finds_the_point_itself_or_the_nearest_values_knob_by_knob) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Random random(seed);
    const System system = random_system(random);
    const Solver by_tree(system), walks(system, by_walks());
    const std::vector<Point> all = all_solutions(system);
    if (all.empty()) continue;
    const Point& wished = random.pick(all);
    EXPECT_EQ(by_tree.nearest(wished).point, wished) << "seed " << seed;
    EXPECT_EQ(walks.nearest(wished).point, wished) << "seed " << seed;
    // By definition, knobs in the order of the tree: of all solutions with the values chosen so far, the
    // nearest value, the smaller of two.
    Point unlikely = wished;
    for (std::int64_t& value : unlikely) value += random.integer(-5, 5);
    std::vector<Point> left = all;
    for (const Var knob : system.knobs()) {
      const auto k = static_cast<std::size_t>(knob.index);
      const auto far = [&](const Point& p) { return std::pair(std::abs(p[k] - unlikely[k]), p[k]); };
      const std::int64_t value = (*std::min_element(
          left.begin(), left.end(), [&](const Point& a, const Point& b) { return far(a) < far(b); }))[k];
      std::erase_if(left, [&](const Point& p) { return p[k] != value; });
    }
    EXPECT_EQ(by_tree.nearest(unlikely).point, left.at(0)) << "seed " << seed;
  }
}

TEST(Solver, keeps_deadlines) {
  const System system = tensor_core_gemm(1024, 1024, 1024);
  const Solver solver(system, by_walks());
  const auto start = std::chrono::steady_clock::now();
  const Samples samples = solver.sample(1'000'000, 1, {}, start + std::chrono::milliseconds(50));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
  EXPECT_FALSE(samples.complete);
  EXPECT_NE(samples.alarm.find("the deadline came"), std::string::npos) << samples.alarm;
  for (std::size_t i = 0; i < std::min<std::size_t>(samples.points.size(), 100); ++i)
    EXPECT_TRUE(is_solution(system, samples.points[i]));
  // A question that cannot be answered in no time at all stays open.
  std::string hard;
  for (int i = 0; i < 14; ++i) hard += "knob x" + std::to_string(i) + " in 0..12\n";
  for (int i = 0; i < 14; ++i)
    for (int j = 0; j < i; ++j)
      hard += "require d" + std::to_string(i) + "_" + std::to_string(j) + ": x" + std::to_string(i) +
              " != x" + std::to_string(j) + "\n";
  const System pigeons = parse(hard);
  const Engine crowded(pigeons);
  Engine::Scratch scratch(crowded);
  Random random(1);
  EXPECT_EQ(find_solution(crowded, scratch, {}, shuffled(random), {.work = 20'000}).answer,
            Answer::undecided);
  EXPECT_EQ(find_solution(crowded, scratch, {}, shuffled(random),
                          {.work = ~std::uint64_t{0}, .deadline = std::chrono::steady_clock::now()})
                .answer,
            Answer::undecided);
}

TEST(Solver, raises_an_alarm_where_few_walks_carry_all_the_weight) {
  // One choice in 300 leads to nearly all solutions.
  const System system = parse(
      "knob door in 1..300 knob a in 1..1000 knob b in 1..1000 "
      "require closed: when door != 7: a + b <= 2");
  const Samples samples = Solver(system, by_walks()).sample(400, 2);
  EXPECT_LT(samples.effective_size, 400);
  EXPECT_NE(samples.alarm.find("fewer than the 400 asked for"), std::string::npos) << samples.alarm;
}

TEST(Neighbours, are_the_solutions_with_one_move_and_the_fewest_repairs) {
  int checked = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Random random(seed);
    const System system = random_system(random);
    const std::vector<Point> all = all_solutions(system);
    if (all.empty()) continue;
    const Engine engine(system);
    const Point& point = random.pick(all);
    const int repairs = static_cast<int>(random.integer(0, 2));
    // By definition: for each knob and value, the solutions with the fewest other changes.
    std::set<std::tuple<int, Point>> expected;
    for (const Var knob : system.knobs()) {
      const auto k = static_cast<std::size_t>(knob.index);
      std::map<std::int64_t, std::pair<int, std::vector<Point>>> best;
      for (const Point& other : all) {
        if (other[k] == point[k]) continue;
        int changes = -1;
        for (const Var each : system.knobs())
          changes +=
              other[static_cast<std::size_t>(each.index)] != point[static_cast<std::size_t>(each.index)] ? 1
                                                                                                         : 0;
        auto& entry = best.try_emplace(other[k], changes, std::vector<Point>()).first->second;
        if (changes < entry.first) entry = {changes, {}};
        if (changes == entry.first) entry.second.push_back(other);
      }
      for (const auto& [value, entry] : best)
        if (entry.first <= repairs)
          for (const Point& other : entry.second) expected.insert({knob.index, other});
    }
    std::set<std::tuple<int, Point>> found;
    for (const Neighbour& neighbour : neighbours(engine, point, repairs)) {
      EXPECT_TRUE(found.insert({neighbour.moved.index, neighbour.point}).second) << "twice";
      EXPECT_LE(neighbour.repaired, repairs);
    }
    ASSERT_EQ(found, expected) << "seed " << seed << "\n" << print(system);
    checked += expected.empty() ? 0 : 1;
  }
  EXPECT_GT(checked, 50);
}

}  // namespace
}  // namespace ardea::space
