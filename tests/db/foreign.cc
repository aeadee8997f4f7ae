#include "ardea/db/foreign.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "ardea/db/exchange.h"
#include "ardea/support/error.h"
#include "ardea/support/temporary_folder.h"
#include "tests/db/examples.h"

namespace ardea::db {
namespace {

using nlohmann::json;

/// Records as these tuners write them.
const std::string their_autotvm =
    R"({"input": ["llvm -keys=cpu -mcpu=core-avx2", "dense_nopack.x86", [["TENSOR", [1, 256], "float32"], )"
    R"(["TENSOR", [1000, 256], "float32"], null, "float32"], {}], "config": {"index": 88, "code_hash": null, )"
    R"("entity": [["tile_y", "sp", [-1, 1]], ["tile_x", "sp", [-1, 40]], ["auto_unroll", "ot", 16]]}, )"
    R"("result": [[0.00012, 0.00013], 0, 1.4, 1602222222.5], "version": 0.2, "tvm_version": "0.8.0"})";
const std::string their_first_autotvm =
    R"({"i": ["llvm", "topi_nn_dense", [], {}, ["dense", [1, 2]], {"i": 3, "e": [], "c": null, "t": ""}], )"
    R"("r": [[1e9], 7, 10.0, 1542222222.5], "v": 0.1})";
const std::string their_ansor =
    R"({"i": [["[\"matmul_add\", 128, 128, 128]", "llvm -keys=cpu", [8, 64, 64, 0, 0, 0, 0, 0], "", 1, []], )"
    R"([[], [["SP", 2, 0, 128, [4, 8, 1], 1], ["RE", 2, [0, 2, 1, 3]], ["PR", 2, 0, "auto_unroll_max_step$16"]]]], )"
    R"("r": [[0.00031], 0, 0.7, 1602222222], "v": "v0.6"})";

class Exchange : public testing::Test {
 protected:
  Database fresh(const std::string& name) const { return Database::create(folder_.path() / name); }
  static std::string text(const Database& database, Shape shape) {
    std::ostringstream out;
    export_lines(database, out, shape);
    return out.str();
  }
  static Imported taken(Database& database, const std::string& text) {
    std::istringstream in(text);
    return import_lines(database, in);
  }

 private:
  const TemporaryFolder folder_;
};

/// Trials, failures, notes and lines of other versions: all come back as they were.
TEST_F(Exchange, gives_records_of_ours_back_through_every_shape) {
  Database ours = fresh("ours.db");
  for (int t = 0; t < 2; ++t) {
    std::vector<Trial> trials;
    for (int n = 1; n <= 7; ++n) trials.push_back(example_trial(n));
    const std::int64_t task = ours.add(example_task(t));
    ours.add(task, trials);
    ours.add_notes(task, {{"run", "libraries", "{\"blas\": 1}", 5}});
  }
  const std::string own = text(ours, Shape::own);
  for (const Shape shape : {Shape::autotvm, Shape::ansor}) {
    const std::string theirs = text(ours, shape);
    Database again = fresh(fmt::format("again{}.db", static_cast<int>(shape)));
    const Imported imported = taken(again, theirs);
    EXPECT_EQ(imported.added, 16);
    EXPECT_EQ(imported.foreign, 0);
    EXPECT_TRUE(imported.refused.empty());
    EXPECT_EQ(text(again, Shape::own), own);
    EXPECT_EQ(taken(ours, theirs).added, 0);
  }
}

/// What their readers look at is where they look for it, and of the type that they expect.
TEST_F(Exchange, writes_what_their_readers_expect) {
  Database ours = fresh("ours.db");
  Task task = example_task(1);
  task.target = R"({"triple": "aarch64-linux-gnu", "cpu": "neoverse-v1", "vector_bits": 128,
                    "caches": [{"line_bytes": 64}]})";
  ours.add(ours.add(task), {example_trial(1), example_trial(3)});
  std::istringstream autotvm(text(ours, Shape::autotvm)), ansor(text(ours, Shape::ansor));
  std::string line;
  ASSERT_TRUE(std::getline(autotvm, line));
  const json first = json::parse(line);
  EXPECT_EQ(first["input"][0], "llvm -mtriple=aarch64-linux-gnu -mcpu=neoverse-v1");
  EXPECT_EQ(first["input"][1], "ardea.gemm");
  EXPECT_EQ(first["input"].size(), 4U);
  EXPECT_EQ(first["config"]["entity"], json::parse(R"([["C_rows", "ot", 1], ["C_steps", "ot", -1]])"));
  EXPECT_EQ(first["result"], json::parse("[[0.001], 0, 0.0, 1700000001]"));
  ASSERT_TRUE(std::getline(autotvm, line));
  EXPECT_EQ(json::parse(line)["result"], json::parse("[[1e9], 4, 0.0, 1700000003]")) << "it crashed";

  ASSERT_TRUE(std::getline(ansor, line));
  EXPECT_EQ(line.front(), '#') << "their reader refuses other keys than its own, and skips comments";
  ASSERT_TRUE(std::getline(ansor, line));
  const json second = json::parse(line);
  EXPECT_EQ(second.size(), 3U);
  EXPECT_EQ(second["i"][0][2], json::parse("[2, 16, 64, 0, 0, 0, 0, 0]"));
  EXPECT_EQ(second["i"][1], json::parse("[[], []]"));
  EXPECT_EQ(second["r"], json::parse("[[0.001], 0, 0.0, 1700000001]"));
}

/// Their records cannot be run here: they are kept, told of, and handed on to the shape that they came in.
TEST_F(Exchange, keeps_records_of_others_as_they_came) {
  Database ours = fresh("ours.db");
  const std::string all =
      "# a remark\n" + their_autotvm + "\n" + their_first_autotvm + "\n" + their_ansor + "\n";
  const Imported imported = taken(ours, all);
  EXPECT_EQ(imported.added, 3);
  EXPECT_EQ(imported.theirs, 3);
  EXPECT_TRUE(imported.refused.empty());
  EXPECT_EQ(taken(ours, all).known, 3);
  EXPECT_TRUE(ours.tasks().sound.empty());
  const std::string autotvm = text(ours, Shape::autotvm);
  EXPECT_EQ(autotvm.find(their_autotvm + "\n" + their_first_autotvm + "\n"), 0U) << autotvm;
  EXPECT_EQ(autotvm.find(their_ansor), std::string::npos) << "outside of a comment";
  EXPECT_NE(text(ours, Shape::ansor).find("\n" + their_ansor + "\n"), std::string::npos);
  Database again = fresh("again.db");
  EXPECT_EQ(taken(again, text(ours, Shape::ansor)).added, 3);
  EXPECT_EQ(taken(again, text(ours, Shape::own)).known, 3);
}

/// A tool may have dropped the comments: what is left of a record of ours is not taken for one.
TEST_F(Exchange, does_not_take_the_rest_of_a_record_for_one) {
  Database ours = fresh("ours.db");
  ours.add(ours.add(example_task(1)), {example_trial(1)});
  std::string stripped = text(ours, Shape::ansor);
  stripped.erase(0, stripped.find('\n') + 1);
  Database again = fresh("again.db");
  EXPECT_EQ(taken(again, stripped).theirs, 1);
  EXPECT_TRUE(again.tasks().sound.empty());
  // Nor is one whose own part was damaged.
  std::string damaged = text(ours, Shape::autotvm);
  damaged[damaged.find("trace") + 12] ^= 1;
  const Imported refused = taken(again, damaged);
  EXPECT_EQ(refused.added, 0);
  EXPECT_EQ(refused.refused.size(), 1U);
}

TEST_F(Exchange, knows_its_shapes_by_name) {
  EXPECT_EQ(shape_of("autotvm"), Shape::autotvm);
  EXPECT_EQ(shape_of("ansor"), Shape::ansor);
  try {
    shape_of("ansour");
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_STREQ(
        error.what(),
        "--as ansour: there is no such shape of records, only own, autotvm, ansor; did you mean ansor?");
  }
}

}  // namespace
}  // namespace ardea::db
