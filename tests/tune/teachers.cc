#include "ardea/tune/teachers.h"

#include <gtest/gtest.h>

#include "ardea/support/error.h"
#include "ardea/support/temporary_folder.h"
#include "ardea/tune/task.h"
#include "tests/tune/simulated.h"

/// A machine that is made up: on it loops cost much more than the model of the machine believes.

namespace ardea::tune {

namespace {

const target::Target& machine() {
  static const target::Target target = on_threads(target::find("generic-aarch64"), 1);
  return target;
}

/// A shape of the product, its space and what its points take.
struct Shape {
  std::string workload;
  Function program;
  rules::ProgramSpace space;
  std::shared_ptr<const cost::Features> features;
  db::Task task;

  explicit Shape(const std::vector<std::int64_t>& sizes)
      : workload(fmt::format("gemm {},{},{} in=float32", sizes[0], sizes[1], sizes[2])),
        program(ops::create_function(ops::make_workload({.op = "gemm", .sizes = sizes}), "main")),
        space(rules::program_space(program, machine(), rules::rules_for(machine()), {.threads = 1})),
        task(task_of(program, workload, machine(), 1)) {
    std::vector<cost::SketchView> views;
    for (const rules::SolvedSketch& solved : space.sketches) {
      views.push_back({.system = &solved.sketch.system, .symbolic = &solved.sketch.symbolic});
      for (const schedule::Knob& knob : solved.sketch.knobs) views.back().knobs.push_back(knob.var);
    }
    features = std::make_shared<cost::Features>(std::move(views), machine(), 1);
  }

  double seconds(const space::Choice& choice) const {
    const auto values = features->program_at(choice).value();
    const auto of = [&](cost::Feature f) { return values[static_cast<std::size_t>(f)]; };
    return 1e-9 * (of(cost::Feature::compute_cycles) + 20 * of(cost::Feature::overhead_cycles) + 100);
  }

  /// So many trials by chance, as a run would have recorded them.
  std::vector<db::Trial> trials(std::size_t count) const {
    std::vector<db::Trial> all;
    for (const space::Choice& choice : space.sample(count, 3).choices) {
      db::Trial trial = record_of(space, candidate_at(space, choice));
      trial.run = "before";
      trial.method = "random";
      trial.number = static_cast<std::int64_t>(all.size()) + 1;
      const double s = seconds(choice);
      trial.time = CallTime{s, s, s};
      all.push_back(std::move(trial));
    }
    return all;
  }
};

const Shape& small() {
  static const Shape shape({24, 16, 20});
  return shape;
}
const Shape& large() {
  static const Shape shape({48, 32, 40});
  return shape;
}

struct Kept {
  TemporaryFolder folder;
  db::Database database = db::Database::create(folder.path() / "t.db");

  void add(const db::Task& task, const std::vector<db::Trial>& trials) {
    database.add(database.add(task), trials);
  }
};

std::unique_ptr<cost::Model> model_of(std::vector<cost::OtherTask> others, std::uint64_t seed) {
  return cost::make_boosted_model(large().features,
                                  {.seed = seed, .prior = false, .others = std::move(others)});
}

/// ln of the best time of the first so many trials, the mean over some seeds.
double best_of_first(std::size_t trials, const std::vector<cost::OtherTask>& others) {
  double sum = 0;
  constexpr int seeds = 6;
  for (int seed = 1; seed <= seeds; ++seed) {
    const auto model = model_of(others, static_cast<std::uint64_t>(seed));
    Simulated measurer;
    measurer.report_of = [](const space::Choice& choice) {
      const double s = large().seconds(choice);
      return measure::TrialReport{.time = CallTime{s, s, s}};
    };
    TuneOptions options{.trials = static_cast<std::int64_t>(trials), .method = &search::method("cga")};
    options.seed = static_cast<std::uint64_t>(seed);
    options.blind = true;
    options.batch = 4;
    Tuner tuner(large().space, measurer, options, model.get());
    while (tuner.step()) {}
    for (const Candidate& candidate : measurer.measured)
      EXPECT_TRUE(choice_of(large().space, record_of(large().space, candidate)));
    sum += std::log(*tuner.best_s());
  }
  return sum / seeds;
}

TEST(Teachers, make_the_first_batches_of_another_shape_faster) {
  Kept kept;
  kept.add(small().task, small().trials(40));
  const std::vector<Teacher> teachers = teachers_of(kept.database, large().task);
  ASSERT_EQ(teachers.size(), 1U);
  EXPECT_EQ(teachers[0].trials.size(), TeacherLimits{}.trials);
  const std::vector<cost::OtherTask> lessons = lessons_of(teachers, *large().features);
  ASSERT_EQ(lessons.size(), 1U);
  EXPECT_EQ(lessons[0].trials.size(), TeacherLimits{}.trials);
  EXPECT_LT(best_of_first(4, lessons), best_of_first(4, {}) - 0.05);
  EXPECT_LT(best_of_first(8, lessons), best_of_first(8, {}));
}

TEST(Teachers, are_of_the_same_operator_machine_threads_and_compiler_and_never_the_task_itself) {
  Kept kept;
  const std::vector<db::Trial> trials = small().trials(6);
  kept.add(large().task, large().trials(6));
  for (const auto& change : std::vector<std::function<void(db::Task&)>>{
           [](db::Task& t) { t.workload = "bmm 24,16,20 in=float32"; },
           [](db::Task& t) { t.workload = "gemm 24,16,20 in=bfloat16"; },
           [](db::Task& t) { t.workload = "gemm 24,16 in=float32"; }, [](db::Task& t) { t.target = "{}"; },
           [](db::Task& t) { t.threads = 2; }, [](db::Task& t) { t.compiler = "another"; },
           [](db::Task& t) { t.protocol = "another"; }}) {
    db::Task task = small().task;
    change(task);
    kept.add(task, trials);
  }
  EXPECT_TRUE(teachers_of(kept.database, large().task).empty());
}

TEST(Teachers, are_the_nearest_in_size_and_few_trials_of_all_speeds_with_the_fastest) {
  Kept kept;
  const std::vector<db::Trial> trials = small().trials(30);
  for (const std::string sizes : {"480,320,400", "47,32,40", "24,16,20", "4800,3200,4000"}) {
    db::Task task = small().task;
    task.workload = "gemm " + sizes + " in=float32";
    kept.add(task, trials);
  }
  const auto teachers = teachers_of(kept.database, large().task, {.tasks = 2, .trials = 5});
  ASSERT_EQ(teachers.size(), 2U);
  EXPECT_EQ(teachers[0].task.workload, "gemm 47,32,40 in=float32");
  EXPECT_EQ(teachers[1].task.workload, "gemm 24,16,20 in=float32");
  double fastest = 1, slowest = 0;
  for (const db::Trial& trial : trials) {
    fastest = std::min(fastest, trial.time->median_s);
    slowest = std::max(slowest, trial.time->median_s);
  }
  ASSERT_EQ(teachers[0].trials.size(), 5U);
  EXPECT_EQ(teachers[0].trials[0].time->median_s, fastest);
  EXPECT_GT(teachers[0].trials[4].time->median_s, std::sqrt(fastest * slowest));
}

TEST(Teachers, that_are_rubbish_teach_nothing_and_no_point_is_invalid_for_them) {
  Kept kept;
  std::vector<db::Trial> trials = small().trials(12);
  trials[0].trace = "[";
  trials[1].trace = R"([{"split": "no"}])";
  trials[2].trace = large().trials(1)[0].trace + " ";  // steps of another program
  trials[3].time = CallTime{-1, -1, -1};
  trials[4].outcome = TrialOutcome::crashed;
  trials[4].time = std::nullopt;
  for (std::size_t i = 5; i < trials.size(); ++i) {
    const double s = trials[i].time->median_s;  // all the wrong way round, and far off
    trials[i].time = CallTime{1e-12 / s, 1e-12 / s, 1e-12 / s};
  }
  kept.add(small().task, trials);
  db::Task no_program = small().task;
  no_program.program = "this is no program";
  no_program.workload = "gemm 25,16,20 in=float32";
  kept.add(no_program, small().trials(5));
  const auto lessons = lessons_of(teachers_of(kept.database, large().task), *large().features);
  ASSERT_EQ(lessons.size(), 1U);
  EXPECT_LE(lessons[0].trials.size(), 8U);
  EXPECT_GE(lessons[0].trials.size(), 7U);
  // What is measured puts it right.
  best_of_first(8, lessons);
  EXPECT_LT(best_of_first(32, lessons), best_of_first(4, {}));
}

TEST(Teachers, come_again_by_the_note_of_the_run) {
  Kept kept;
  kept.add(small().task, small().trials(30));
  const auto teachers = teachers_of(kept.database, large().task);
  const std::string note = to_note(teachers);
  db::Task later = small().task;  // of which the run knew nothing
  later.workload = "gemm 48,32,41 in=float32";
  kept.add(later, small().trials(10));
  const auto again = teachers_in(kept.database, note);
  ASSERT_EQ(again.size(), 1U);
  EXPECT_EQ(again[0].task, teachers[0].task);
  EXPECT_EQ(again[0].trials, teachers[0].trials);
  kept.database.prune(3);
  EXPECT_THROW(teachers_in(kept.database, note), Error);
}

}  // namespace

}  // namespace ardea::tune
