#include <gtest/gtest.h>
#include <sys/wait.h>

#include <fstream>

#include "ardea/support/text_file.h"
#include "tests/support/folder.h"

/// The mistakes of the .txt files, made with the command-line tool. README.md has the form.

namespace ardea {
namespace {

namespace fs = std::filesystem;

struct Mistake {
  std::string file, title, command, says;
  std::vector<std::pair<std::string, std::string>> inputs = {};
  int line = 0;
};

/// How a failure names the mistake.
void PrintTo(const Mistake& m, std::ostream* out) { *out << m.file << ":" << m.line << ": " << m.title; }

fs::path source(const std::string& name) { return fs::path(ARDEA_SOURCE_DIR) / "tests/mistakes" / name; }

std::vector<Mistake> read_mistakes(const std::string& name) {
  std::vector<Mistake> all;
  std::ifstream file(source(name));
  std::string text;
  std::string* part = nullptr;
  for (int line = 1; std::getline(file, text); ++line) {
    if (text.starts_with("== ")) {
      all.push_back({.file = name, .title = text.substr(3), .command = "", .says = "", .line = line});
      part = nullptr;
    } else if (text.starts_with("-- file ")) {
      part = &all.at(all.size() - 1).inputs.emplace_back(text.substr(8), "").second;
    } else if (text == "-- run") {
      part = &all.at(all.size() - 1).command;
    } else if (text == "-- says") {
      part = &all.at(all.size() - 1).says;
    } else if (part != nullptr && (!text.empty() || part != &all.back().says)) {
      *part += text + "\n";
    }
  }
  return all;
}

std::vector<Mistake> all_mistakes() {
  std::vector<Mistake> all;
  for (const char* name : {"text.txt", "scripts.txt", "command_line.txt"})
    for (Mistake& m : read_mistakes(name)) all.push_back(std::move(m));
  return all;
}

class Mistakes : public testing::TestWithParam<Mistake> {};

TEST_P(Mistakes, are_answered_by_a_sentence) {
  const Mistake& m = GetParam();
  const test::Folder inputs, outputs;
  for (const auto& [name, text] : m.inputs) inputs.write(name, text);
  if (m.file == "scripts.txt") inputs.write("gemm.tir", read_text_file(source("gemm.tir").string()));
  const auto files_in = [&] {
    return std::distance(fs::directory_iterator(inputs.path()), fs::directory_iterator());
  };
  const auto before = files_in();
  const std::string out = outputs.write("out", ""), error = outputs.write("error", "");
  const int status =
      std::system(("cd '" + inputs.path().string() + "' && ARDEA_DB=tuning.db " ARDEA_COMMAND " " +
                   m.command.substr(0, m.command.find('\n')) + " < /dev/null > " + out + " 2> " + error)
                      .c_str());
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 2);
  EXPECT_EQ(read_text_file(out), "");
  EXPECT_EQ(read_text_file(error), m.says);
  EXPECT_EQ(files_in(), before) << "something was written";
}

INSTANTIATE_TEST_SUITE_P(Table, Mistakes, testing::ValuesIn(all_mistakes()),
                         [](const testing::TestParamInfo<Mistake>& info) {
                           std::string name = info.param.title;
                           for (char& c : name)
                             if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
                           return name;
                         });

}  // namespace
}  // namespace ardea
