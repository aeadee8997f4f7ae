#pragma once

#include "ardea/db/record.h"

/// Records for tests, told apart by a number.

namespace ardea::db {

inline Task example_task(int n) {
  return {.workload = "gemm " + std::to_string(n) + ",7,5",
          .program = "@T.prim_func\ndef main():\n    # " + std::to_string(n) + "\n",
          .target_name = "host",
          .target = R"({"name": "host"})",
          .threads = 1 + n % 3,
          .compiler = "ardea 0 \"quoted\"",
          .protocol = "median 1"};
}

/// Every third one failed.
inline Trial example_trial(int n) {
  Trial trial{.number = n,
              .run = "run",
              .batch = 1 + n / 4,
              .method = "random",
              .seed = 0xfedcba9876543210,
              .sketch = "A in panels = yes",
              .knobs = {{"C_rows", n}, {"C_steps", -n}},
              .trace = R"([["split", 1]])",
              .outcome = TrialOutcome::timed,
              .time = {},
              .message = "",
              .taken_at = 1'700'000'000 + n};
  if (n % 3 == 0) {
    trial.outcome = TrialOutcome::crashed;
    trial.message = "signal 11";
  } else {
    trial.time = CallTime{1e-3 / n, 0.9e-3 / n, 1.1e-3 / n};
    trial.elapsed_s = 0.1 * n;
    if (n % 2 == 0) trial.predicted = 0.01 * n;
    if (n % 3 == 0) trial.clock_mhz = 1755.25;
  }
  return trial;
}

}  // namespace ardea::db
