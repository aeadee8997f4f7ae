#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/command.h"

namespace ardea::cli {
namespace {

/// Two tasks, three trials; the checksums are those of the lines.
constexpr const char* lines = "tests/fixtures/trials.jsonl";

TEST(DbCommand, takes_lines_and_gives_them_back) {
  const Folder folder;
  const std::string db = " --db " + (folder.path() / "new/a.db").string();
  const Answer imported = ardea(std::string("db import ") + lines + db);
  EXPECT_EQ(imported.exit_code, 0) << imported.error;
  EXPECT_NE(imported.out.find("3 added, 0 were there already"), std::string::npos) << imported.out;
  std::ifstream file(std::string(ARDEA_SOURCE_DIR) + "/" + lines);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(ardea("db export" + db).out, text);

  const auto list = nlohmann::json::parse(ardea("db list --json" + db).out);
  ASSERT_EQ(list["tasks"].size(), 2U);
  EXPECT_EQ(list["tasks"][0]["trials"], 2);
  EXPECT_EQ(list["tasks"][0]["failures"], 1);
  const auto best = nlohmann::json::parse(ardea("db best --workload softmax --json" + db).out);
  ASSERT_EQ(best.size(), 1U);
  EXPECT_EQ(best[0]["workload"], "softmax 64,64");
  EXPECT_EQ(ardea("db verify" + db).exit_code, 0);
}

TEST(DbCommand, tells_what_is_damaged_and_takes_the_rest) {
  const Folder folder;
  const std::string db = " --db " + (folder.path() / "a.db").string();
  std::ifstream file(std::string(ARDEA_SOURCE_DIR) + "/" + lines);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  text[text.find("gemm") + 1] = 'E';
  const Answer imported = ardea("db import " + folder.write("bad.jsonl", text) + db);
  EXPECT_EQ(imported.exit_code, 1);
  EXPECT_NE(imported.out.find("2 added"), std::string::npos) << imported.out;
  EXPECT_NE(imported.error.find("line 1: its checksum is"), std::string::npos) << imported.error;
  const Answer pruned = ardea("db prune --keep 1" + db);
  EXPECT_NE(pruned.out.find("0 trials removed"), std::string::npos) << pruned.out;
}

TEST(DbCommand, refuses_what_it_cannot_do) {
  const Folder folder;
  const std::string none = " --db " + (folder.path() / "none.db").string();
  expect_refusal(ardea("db list" + none), "there is no database");
  expect_refusal(ardea("db lst" + none), "did you mean list");
  expect_refusal(ardea("db import" + none), "name the files");
  expect_refusal(ardea("db import /nowhere.jsonl" + none), "/nowhere.jsonl");
  expect_refusal(ardea("db merge /nowhere.db" + none), "/nowhere.db");
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "none.db")) << "a refused command made a database";
  expect_refusal(ardea("db verify --db " + folder.write("text.db", std::string(5000, 'x'))),
                 "damaged, or no database");
  expect_refusal(ardea("db prune" + none), "--keep");
}

}  // namespace
}  // namespace ardea::cli
