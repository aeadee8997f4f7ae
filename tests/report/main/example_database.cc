#include <cstdio>

#include "ardea/support/error.h"
#include "tests/report/tuned_in_fancy.h"

/// example_database FILE.db: what `make test-report` draws.

int main(int argc, char** argv) {
  using namespace ardea;
  if (argc != 2) {
    std::fprintf(stderr, "example_database FILE.db\n");
    return 2;
  }
  try {
    const ops::Workload gemm = ops::make_workload({.op = "gemm", .sizes = {64, 64, 64}});
    test::tune_in_fancy(argv[1], gemm, 1, 64, "random", 1);
    const test::Fancied made = test::tune_in_fancy(argv[1], gemm, 1, 200, "cga", 2);
    const double best_s = made.best.time->median_s;
    db::Database database = db::Database::open(argv[1]);
    const auto note = [&](const char* name, const std::string& text) {
      database.add_notes(database.add(made.task), {{"cga2", name, text, 1'790'000'500}});
    };
    note("libraries", fmt::format(R"({{"ardea": {}, "openblas": {}, "blis": {}, "eigen": {}}})", best_s,
                                  1.04 * best_s, 1.2 * best_s, 1.5 * best_s));
    note("default", fmt::format(R"({{"median_s": {0}, "low_s": {0}, "high_s": {0}}})", 1.07 * best_s));
    note("peaks", fmt::format(R"({{"float32_operations": {}}})", 1.09 * 2 * 64 * 64 * 64 / best_s));
    note(
        "run",
        R"({"method_why": "cga: 200 trials of a large space are few, and a model tells which are worth one."})");
    test::tune_in_fancy(argv[1], ops::make_workload({.op = "softmax", .sizes = {32, 96}}), 1, 48, "grid", 3);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
  return 0;
}
