#include "ardea/arith/load.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "ardea/arith/verify.h"
#include "ardea/ir/print.h"
#include "ardea/support/error.h"

namespace ardea::arith {
namespace {

const std::string copy_program = R"(
@T.prim_func
def main(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")):
    for i in range(16):
        with T.block("copy"):
            v = T.axis.spatial(16, i)
            B[v] = A[v]
)";

/// The message of the Error that f throws.
template <class F>
std::string refusal(const F& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was refused";
}

class LoadFile : public testing::Test {
 public:
  LoadFile() { std::filesystem::create_directories(folder_); }
  ~LoadFile() override { std::filesystem::remove_all(folder_); }

 protected:
  std::string file(const std::string& name, const std::string& content) const {
    std::ofstream(folder_ / name, std::ios::binary) << content;
    return (folder_ / name).string();
  }
  static std::string refused(const std::string& path) {
    return refusal([&] { load_file(path); });
  }

  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() /
      ("ardea_load_" + std::to_string(::testing::UnitTest::GetInstance()->random_seed()) + "_" +
       std::to_string(reinterpret_cast<std::uintptr_t>(this)));
};

TEST(LoadProgram, completes_and_verifies) {
  const Module m = load_program(copy_program, "copy.tir");
  ASSERT_EQ(m.functions.size(), 1u);
  const std::string text = print(m);
  EXPECT_NE(text.find("T.reads(A[v])"), std::string::npos) << text;
  EXPECT_NE(text.find("T.writes(B[v])"), std::string::npos) << text;
  EXPECT_TRUE(verify(m).empty());
}

TEST(LoadProgram, names_the_program_in_front_of_a_broken_law) {
  std::string text = copy_program;
  text.replace(text.find("A[v]"), 4, "A[v + 1]");
  const std::string message = refusal([&] { load_program(text, "shift.tir"); });
  EXPECT_EQ(message.find("shift.tir: main: "), 0u) << message;
  EXPECT_NE(message.find("outside A"), std::string::npos) << message;
}

TEST(LoadProgram, names_the_line_of_a_syntax_error) {
  const std::string message = refusal([] { load_program("@T.prim_func\ndef main(:\n", "bad.tir"); });
  EXPECT_EQ(message.find("bad.tir:2:"), 0u) << message;
}

TEST_F(LoadFile, reads_a_program) {
  EXPECT_EQ(load_file(file("copy.tir", copy_program)).functions[0].name, "main");
}

TEST_F(LoadFile, says_that_there_is_no_such_file) {
  const std::string path = (folder_ / "none.tir").string();
  EXPECT_EQ(refused(path), path + ": there is no such file; check the path");
}

TEST_F(LoadFile, says_that_a_directory_is_no_file) {
  EXPECT_EQ(refused(folder_.string()), folder_.string() + ": this is a directory; name a file in it");
}

TEST_F(LoadFile, says_that_bytes_are_no_text) {
  const std::string path = file("library.so", std::string("\x7f"
                                                          "ELF\0\1",
                                                          6));
  EXPECT_EQ(refused(path),
            path + ": this is not a text file (byte 0 is 0x7f); give a program in the TVMScript dialect");
  EXPECT_NE(refused(file("zeros", std::string(10, '\0'))).find("byte 0 is 0x00"), std::string::npos);
}

TEST_F(LoadFile, says_that_a_file_is_too_large) {
  const std::string path = file("large.tir", "");
  std::filesystem::resize_file(path, (64u << 20) + 1);
  EXPECT_NE(refused(path).find("larger than 64 MiB"), std::string::npos) << refused(path);
}

TEST_F(LoadFile, says_that_a_file_may_not_be_opened) {
  const std::string path = file("secret.tir", copy_program);
  std::filesystem::permissions(path, std::filesystem::perms::none);
  if (std::ifstream(path).is_open()) GTEST_SKIP() << "this user may open everything";
  EXPECT_NE(refused(path).find("cannot be opened"), std::string::npos) << refused(path);
}

}  // namespace
}  // namespace ardea::arith
