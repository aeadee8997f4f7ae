#include "ardea/support/staged_folder.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <fstream>
#include <functional>
#include <iterator>
#include <set>

#include "ardea/support/error.h"

namespace ardea {
namespace {

namespace fs = std::filesystem;

class Staged : public testing::Test {
 protected:
  void SetUp() override {
    root = fs::path(testing::TempDir()) / ("ardea_staged_" + std::to_string(getpid()));
    fs::create_directories(root);
  }
  void TearDown() override { fs::remove_all(root); }

  static void write(const fs::path& path, const std::string& text) { std::ofstream(path) << text; }
  static std::string contents(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::set<std::string> names(const fs::path& folder) const {
    std::set<std::string> found;
    for (const auto& entry : fs::directory_iterator(folder)) found.insert(entry.path().filename().string());
    return found;
  }
  static std::string error_of(const std::function<void()>& action) {
    try {
      action();
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  fs::path root;
};

using Names = std::set<std::string>;

TEST_F(Staged, moves_the_files_in_and_leaves_nothing_else) {
  {
    StagedFolder staged(root / "new" / "out", "-o out");
    write(staged.path() / "a", "1");
    write(staged.path() / "manifest", "2");
    write(staged.path() / "by-product", "3");
    staged.publish({"a", "manifest"});
  }
  EXPECT_EQ(names(root / "new" / "out"), (Names{"a", "manifest"}));
}

TEST_F(Staged, takes_a_path_that_ends_in_a_slash) {
  {
    StagedFolder staged(root / "out/", "-o out/");
    write(staged.path() / "manifest", "2");
    staged.publish({"manifest"});
  }
  EXPECT_EQ(names(root), Names{"out"});
  EXPECT_EQ(names(root / "out"), Names{"manifest"});
}

TEST_F(Staged, disappears_with_the_folders_that_were_made_for_it) {
  {
    StagedFolder staged(root / "x" / "y", "-o x/y");
    write(staged.path() / "a", "1");
  }
  EXPECT_EQ(names(root), Names{});
}

TEST_F(Staged, keeps_what_was_there_where_one_file_cannot_come_in) {
  fs::create_directories(root / "b");  // a folder in the way of the second file
  write(root / "a", "old a");
  write(root / "manifest", "old manifest");
  const std::string sentence = error_of([&] {
    StagedFolder staged(root, "-o out");
    for (const char* name : {"a", "b", "manifest"}) write(staged.path() / name, "new");
    staged.publish({"a", "b", "manifest"});
  });
  EXPECT_EQ(sentence, "-o out: b cannot be moved there: Is a directory; nothing was changed");
  EXPECT_EQ(names(root), (Names{"a", "b", "manifest"}));
  EXPECT_EQ(contents(root / "a"), "old a");
  EXPECT_EQ(contents(root / "manifest"), "old manifest");
}

TEST_F(Staged, replaces_files_and_keeps_those_of_others) {
  write(root / "a", "old");
  write(root / "mine", "mine");
  {
    StagedFolder staged(root, "-o out");
    write(staged.path() / "a", "new");
    write(staged.path() / "manifest", "new");
    staged.publish({"a", "manifest"});
  }
  EXPECT_EQ(names(root), (Names{"a", "manifest", "mine"}));
  EXPECT_EQ(contents(root / "a"), "new");
}

TEST_F(Staged, refuses_a_file_in_the_place_of_the_folder_and_one_above_it) {
  write(root / "taken", "");
  EXPECT_EQ(error_of([&] { StagedFolder staged(root / "taken", "-o taken"); }),
            "-o taken: there is a file of that name; give a folder");
  EXPECT_EQ(error_of([&] { StagedFolder staged(root / "taken" / "out", "-o taken/out"); }),
            "-o taken/out: the folder cannot be written: Not a directory; choose another");
  EXPECT_EQ(names(root), Names{"taken"});
  EXPECT_NE(error_of([&] { StagedFolder staged("/proc/nowhere/out", "-o x"); }).find("cannot be written"),
            std::string::npos);
}

}  // namespace
}  // namespace ardea
