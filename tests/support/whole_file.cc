#include "ardea/support/whole_file.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "ardea/support/error.h"

namespace ardea {
namespace {

class WholeFile : public testing::Test {
 protected:
  void SetUp() override {
    folder = std::filesystem::path(testing::TempDir()) / ("ardea_whole_file_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder);
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  static std::string contents(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
  }

  std::filesystem::path folder;
};

TEST_F(WholeFile, holds_the_parts_in_order_and_replaces_what_was_there) {
  write_whole_file(folder / "a", {"old and longer"});
  write_whole_file(folder / "a", {"new", "", std::string_view("\0x", 2)});
  EXPECT_EQ(contents(folder / "a"), std::string("new\0x", 5));
  EXPECT_EQ(files(), 1u);
}

TEST_F(WholeFile, refuses_a_folder_that_is_not_there) {
  try {
    write_whole_file(folder / "missing" / "a", {"x"});
    FAIL() << "no error";
  } catch (const Error& error) {
    const std::string path = (folder / "missing" / "a").string();
    EXPECT_EQ(error.what(), "\"" + path +
                                "\" cannot be written: No such file or directory; check that the folder "
                                "exists and can be written");
  }
}

TEST_F(WholeFile, leaves_nothing_where_the_name_is_a_folder) {
  std::filesystem::create_directory(folder / "a");
  EXPECT_THROW(write_whole_file(folder / "a", {"x"}), Error);
  EXPECT_EQ(files(), 1u);
  EXPECT_TRUE(std::filesystem::is_directory(folder / "a"));
}

TEST_F(WholeFile, writes_through_a_link_and_leaves_it_one) {
  write_whole_file(folder / "a", {"old"});
  std::filesystem::create_symlink("a", folder / "link");
  write_whole_file(folder / "link", {"new"});
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(contents(folder / "a"), "new");
  EXPECT_EQ(files(), 2u);
}

TEST_F(WholeFile, writes_into_a_pipe_and_leaves_it_one) {
  const std::string pipe = (folder / "pipe").string();
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const int reader = open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  write_whole_file(pipe, {"one", "two"});
  std::array<char, 16> bytes{};
  EXPECT_EQ(read(reader, bytes.data(), bytes.size()), 6);
  EXPECT_EQ(std::string(bytes.data()), "onetwo");
  close(reader);
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
  EXPECT_EQ(files(), 1u);
}

TEST_F(WholeFile, keeps_the_old_file_where_the_new_one_does_not_fit) {
  write_whole_file(folder / "a", {"old"});
  // A limit on the size of files stands for a full disk: write(2) fails halfway.
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 1000;
  setrlimit(RLIMIT_FSIZE, &small);
  std::string message;
  try {
    write_whole_file(folder / "a", {std::string(5000, 'x')});
  } catch (const Error& error) {
    message = error.what();
  }
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, SIG_DFL);
  EXPECT_NE(message.find("File too large; free some space or choose another folder"), std::string::npos)
      << message;
  EXPECT_EQ(contents(folder / "a"), "old");
  EXPECT_EQ(files(), 1u);
}

}  // namespace
}  // namespace ardea
