#include <fmt/core.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "ardea/arith/load.h"
#include "ardea/ir/equal.h"
#include "ardea/ir/fold_literals.h"
#include "ardea/ops/workload_line.h"
#include "tests/cli/command.h"
#include "tests/report/tuned_in_fancy.h"

/// What tuning found is used, and shown.

namespace ardea::cli {
namespace {

using nlohmann::json;

/// One database for all: a space takes a while to make.
class Tuned : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<Folder>();
    made_ = test::tune_in_fancy(path(), ops::make_workload({.op = "gemm", .sizes = {24, 16, 20}}), 1, 40);
  }
  static void TearDownTestSuite() { folder_.reset(); }

  static std::filesystem::path path() { return folder_->path() / "tuned.db"; }
  static std::string db() { return " --db " + path().string(); }
  static const test::Fancied& made() { return *made_; }

  /// A copy of the database with another trial, faster than all.
  static std::string with_trial(const Folder& folder, db::Trial trial) {
    const std::filesystem::path copy = folder.path() / "other.db";
    db::Database other = db::Database::create(copy);
    other.merge(path());
    trial.number = 999;
    trial.time = CallTime{1e-9, 1e-9, 1e-9};
    other.add(other.add(made().task), {trial});
    return " --db " + copy.string();
  }

 private:
  static inline std::unique_ptr<Folder> folder_;
  static inline std::optional<test::Fancied> made_;
};

TEST_F(Tuned, is_what_run_runs) {
  const Answer used =
      ardea("run gemm 24,16,20 --threads 1 --check --json --repeat 1 --min-repeat-ms 0" + db());
  ASSERT_EQ(used.exit_code, 0) << used.error;
  const json answer = json::parse(used.out);
  EXPECT_EQ(answer["record"]["number"], made().best.number);
  EXPECT_TRUE(answer["check"]["agrees"]);
  EXPECT_EQ(answer["hash"], fmt::format("{:016x}", structural_hash(fold_literals(made().best_program))));
  EXPECT_NE(used.error.find(fmt::format("note: gemm 24,16,20 as tuned for 1 thread: trial {} of 40 by random",
                                        made().best.number)),
            std::string::npos)
      << used.error;
  const std::string quick = " --threads 1 --json --repeat 1 --min-repeat-ms 0";
  const Answer by_setting = ardea("run gemm 24,16,20" + quick, "", "ARDEA_DB=" + path().string());
  EXPECT_TRUE(json::parse(by_setting.out).contains("record")) << by_setting.error;
  for (const std::string without :
       {" --no-db", " --schedule recipe", " --schedule none", " --tb", " --in float64"}) {
    const std::string place = without == " --no-db" ? "" : db();
    const Answer answer = ardea(fmt::format("run gemm 24,16,20{}{}{}", quick, without, place));
    EXPECT_FALSE(json::parse(answer.out).contains("record")) << without;
  }
}

TEST_F(Tuned, is_what_show_shows) {
  const Answer shown = ardea("show gemm 24,16,20 --threads 1 --best" + db());
  ASSERT_EQ(shown.exit_code, 0) << shown.error;
  const Module module = arith::load_program(shown.out, "shown");
  EXPECT_TRUE(structurally_equal(module.functions[0], fold_literals(made().best_program)));
  EXPECT_NE(shown.out, ardea("show gemm 24,16,20 --threads 1").out);
  // The steps are used where nothing else is named, and lead to the program.
  const Answer steps = ardea("show gemm 24,16,20 --threads 1 --as trace" + db());
  EXPECT_NE(steps.error.find("as tuned"), std::string::npos) << steps.error;
  EXPECT_EQ(steps.out, ardea("show gemm 24,16,20 --threads 1 --as trace --schedule best" + db()).out);
  EXPECT_NE(steps.out, ardea("show gemm 24,16,20 --threads 1 --as trace --no-db" + db()).out);
  EXPECT_EQ(ardea("show gemm 24,16,20 --threads 1 --best --as asm" + db()).exit_code, 0);
}

TEST_F(Tuned, is_what_compile_ships) {
  const Folder out;
  const Answer shipped =
      ardea("compile gemm 24,16,20 --threads 1 --best --json -o " + (out.path() / "a").string() + db());
  ASSERT_EQ(shipped.exit_code, 0) << shipped.error;
  EXPECT_EQ(json::parse(shipped.out)["record"]["number"], made().best.number);
  EXPECT_TRUE(std::filesystem::exists(out.path() / "a/libgemm.so") ||
              std::filesystem::exists(out.path() / "a/gemm.so"))
      << shipped.out;
}

TEST_F(Tuned, is_benched_only_where_it_is_asked_for) {
  const std::string bench = "bench gemm 24,16,20 --rounds 8 --json --peers " ARDEA_PEERS " --against cloop";
  const Answer plain = ardea(bench, "", "ARDEA_DB=" + path().string());
  ASSERT_EQ(plain.exit_code, 0) << plain.error;
  EXPECT_EQ(json::parse(plain.out)["schedule"].get<std::string>().find("recipe"), 0U);
  const Answer best = ardea(bench + " --best" + db());
  ASSERT_EQ(best.exit_code, 0) << best.error;
  EXPECT_EQ(json::parse(best.out)["schedule"].get<std::string>().find("tuned, trial"), 0U) << best.out;
  EXPECT_EQ(ardea(bench + " --rivals best" + db()).exit_code, 0);
  expect_refusal(ardea(bench + db()), "bench uses records only with --best");
}

TEST_F(Tuned, is_compared_with_the_default_of_its_own_duel_alone) {
  for (const auto& [method, run, is_told] :
       {std::tuple("duel", "first", true), {"duel", "second", false}, {"random", "first", false}}) {
    SCOPED_TRACE(std::string(method) + " of the " + run);
    const Folder folder;
    db::Trial trial = made().best;
    trial.method = method;
    trial.run = run;
    const std::string other = with_trial(folder, trial);
    db::Database database = db::Database::open(folder.path() / "other.db");
    database.add_notes(*database.find(made().task),
                       {{.run = "first", .name = "default", .text = R"({"median_s": 2e-9})"}});
    const Answer best = ardea("best gemm 24,16,20" + other);
    ASSERT_EQ(best.exit_code, 0) << best.error;
    EXPECT_EQ(best.out.find("2.000 × as fast as what the rules choose") != std::string::npos, is_told)
        << best.out;
  }
}

/// What cannot be used is told, and what the rules choose is used.
TEST_F(Tuned, is_told_of_where_it_does_not_fit) {
  const Folder folder;
  db::Trial refused = made().best;
  refused.trace =
      R"([{"primitive": "get_block", "arguments": {"name": "Z", "func_name": "main"}, "results": ["b0"]}])";
  const std::string other = with_trial(folder, refused);
  const Answer run =
      ardea("run gemm 24,16,20 --threads 1 --check --repeat 1 --min-repeat-ms 0 --json" + other);
  EXPECT_EQ(run.exit_code, 0) << run.error;
  EXPECT_FALSE(json::parse(run.out).contains("record"));
  EXPECT_NE(run.error.find("does not fit its program any more"), std::string::npos) << run.error;
  EXPECT_NE(run.error.find("what the rules choose is used instead"), std::string::npos) << run.error;
  expect_refusal(ardea("run gemm 24,16,20 --threads 1 --best" + other), "does not fit its program any more");

  const Answer threads = ardea("run gemm 24,16,20 --threads 3 --repeat 1 --min-repeat-ms 0 --json" + db());
  EXPECT_EQ(threads.exit_code, 0);
  EXPECT_FALSE(json::parse(threads.out).contains("record"));
  EXPECT_NE(threads.error.find("there are records for 1 thread"), std::string::npos) << threads.error;
  expect_refusal(ardea("show gemm 24,16,20 --threads 3 --best" + db()),
                 "for 3 threads; there are records for 1 thread");
  expect_refusal(ardea("show gemm 24,16,21 --threads 1 --best" + db()),
                 "`ardea tune gemm 24,16,21 --threads 1` makes one");
  expect_refusal(ardea("show gemm 24,16,20 --best"), "nothing was tuned yet");
  expect_refusal(ardea("show gemm 24,16,20 --in bfloat16 --tb --best"),
                 "`ardea tune gemm 24,16,20 --in bfloat16 --tb` makes it");
  expect_refusal(ardea("run gemm 24,16,20 --db " + (folder.path() / "none.db").string()),
                 "there is no such database");

  // A default database that is damaged keeps nobody from working.
  const Answer damaged = ardea("run gemm 24,16,20 --repeat 1 --min-repeat-ms 0", "",
                               "ARDEA_DB=" + folder.write("damaged.db", std::string(5000, 'x')));
  EXPECT_EQ(damaged.exit_code, 0);
  EXPECT_NE(damaged.error.find("records of tuning are not used"), std::string::npos) << damaged.error;
}

TEST_F(Tuned, is_told_by_best) {
  const Folder folder;
  const std::filesystem::path copy = folder.path() / "noted.db";
  {
    db::Database noted = db::Database::create(copy);
    noted.merge(path());
    const std::int64_t task = noted.add(made().task);
    noted.add_notes(task, {{"random1", "libraries", R"({"ardea": 1e-5, "blas": 1.25e-5})", 1},
                           {"random1", "peaks", R"({"float32_operations": 5e10})", 1},
                           {"random1", "default", R"({"median_s": 3e-5})", 1}});
  }
  const std::string in = " --db " + copy.string();
  const Answer text = ardea("best gemm 24,16,20" + in);
  ASSERT_EQ(text.exit_code, 0) << text.error;
  const double seconds = made().best.time->median_s, operations = 2.0 * 24 * 16 * 20;
  EXPECT_NE(text.out.find(fmt::format("{:.3g} GFLOP/s, {:.1f} % of the float32 peak",
                                      operations / seconds / 1e9, 100 * operations / seconds / 5e10)),
            std::string::npos)
      << text.out;
  EXPECT_NE(text.out.find("1.250 × blas"), std::string::npos) << text.out;
  EXPECT_EQ(text.out, ardea("best" + in).out);
  EXPECT_EQ(text.out, ardea("db best --workload gemm" + in).out);
  const json answer = json::parse(ardea("best --json" + in).out);
  ASSERT_EQ(answer.size(), 1U);
  EXPECT_EQ(answer[0]["trial"]["number"], made().best.number);
  EXPECT_EQ(answer[0]["libraries_s"]["blas"], 1.25e-5);
  expect_refusal(ardea("best gemm 8,8,8" + in), "no timed trial");
}

TEST_F(Tuned, is_told_on_a_page) {
  const Folder folder;
  const std::string page = (folder.path() / "report.html").string();
  const Answer written = ardea("report " + path().string() + " -o " + page);
  ASSERT_EQ(written.exit_code, 0) << written.error;
  const std::string html = read_text_file(page);
  EXPECT_NE(html.find("<h2>gemm 24,16,20</h2>"), std::string::npos);
  EXPECT_NE(html.find("As tuned"), std::string::npos) << "the record was replayed";
  EXPECT_NE(html.find("steps between the two"), std::string::npos);
  EXPECT_NE(html.find("GFLOP/s"), std::string::npos);
  expect_refusal(ardea("report " + path().string() + " --workload conv -o " + page), "no task with \"conv\"");
  expect_refusal(ardea("report " + (folder.path() / "none.db").string() + " -o " + page),
                 "there is no database");
}

TEST(WorkloadLine, is_read_and_shortened) {
  for (const ops::Workload& w : {ops::make_workload({.op = "gemm", .sizes = {8, 7, 6}}),
                                 ops::make_workload({.op = "gemm", .sizes = {8, 7, 6}, .in = {uint8, int8}}),
                                 ops::make_workload({.op = "gemm", .sizes = {8, 7, 6}, .transpose_b = true}),
                                 ops::make_workload({.op = "softmax", .sizes = {8, 7}, .in = {float16}})})
    EXPECT_EQ(ops::workload_of(ops::to_string(w)), w) << ops::to_string(w);
  EXPECT_FALSE(ops::workload_of("gemm 8,7,6"));
  EXPECT_FALSE(ops::workload_of("main"));
  EXPECT_FALSE(ops::workload_of(""));
  EXPECT_EQ(ops::brief(ops::make_workload({.op = "gemm", .sizes = {8, 7, 6}})), "gemm 8,7,6");
  EXPECT_EQ(ops::brief(ops::make_workload({.op = "gemm", .sizes = {8, 7, 6}, .in = {uint8, int8}})),
            "gemm 8,7,6 in=uint8,int8");
}

}  // namespace
}  // namespace ardea::cli
