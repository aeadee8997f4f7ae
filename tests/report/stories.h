#pragma once

#include <cmath>

#include "ardea/report/story.h"
#include "ardea/support/random.h"

/// Stories for tests.

namespace ardea::report {

/// Runs of so many trials over two knobs, of which the product of both decides the speed; one trial in nine
/// fails. A model guesses with some error.
inline Story example_story(int runs, int trials) {
  Story story{.title = "gemm 64,64,64", .task = {}, .trials = {}};
  story.task.workload = "gemm 64,64,64";
  story.task.target_name = "host";
  story.task.compiler = "a compiler <1>";
  story.task.protocol = "a protocol";
  story.operations = 2.0 * 64 * 64 * 64;
  Random random(7);
  for (int r = 0; r < runs; ++r)
    for (int n = 1; n <= trials; ++n) {
      db::Trial trial;
      trial.number = n;
      trial.run = "run" + std::to_string(r);
      trial.method = "random";
      trial.seed = static_cast<std::uint64_t>(r);
      trial.sketch = random.integer(0, 2) == 0 ? "A in panels = no" : "A in panels = yes";
      const std::int64_t rows = std::int64_t{1} << random.integer(0, 4), columns = 4 * random.integer(1, 6);
      trial.knobs = {{"C_rows", rows}, {"C_columns", columns}, {"steps", 7}};
      trial.taken_at = 1'700'000'000 + n;
      trial.elapsed_s = 0.25 * n;
      if (n % 9 == 0) {
        trial.outcome = n % 18 == 0 ? TrialOutcome::timed_out : TrialOutcome::crashed;
        trial.message = "the process <died> & said \"nothing\"";
      } else {
        const double speed = static_cast<double>(rows * columns) * (trial.sketch.ends_with("yes") ? 1.5 : 1);
        const double seconds = 1e-3 / (10 + speed);
        trial.time = CallTime{seconds, 0.99 * seconds, 1.01 * seconds};
        if (n > 8)
          trial.predicted = std::log(10 + speed) + 0.01 * static_cast<double>(random.integer(-10, 10));
      }
      story.trials.push_back(trial);
    }
  for (const db::Trial& trial : story.trials)
    if (trial.time && (!story.best || trial.time->median_s < story.best->time->median_s)) story.best = trial;
  story.plain =
      "@T.prim_func\ndef main(A: T.Buffer((64,), \"float32\")):\n    for i in range(64):  # once\n        "
      "A[i] = A[i] * 2.5\n";
  story.winning = "@T.prim_func\ndef main():\n    pass\n";
  story.steps = "def apply_trace(sch):\n  b0 = sch.get_block(name=\"C\")\n  sch.unroll(loop=l0)\n";
  return story;
}

}  // namespace ardea::report
