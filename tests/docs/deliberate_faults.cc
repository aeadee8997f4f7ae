#include <gtest/gtest.h>

#include <sstream>

#include "ardea/support/text_file.h"

/// tests/mutants.txt, which tools/mutants tries one by one: a change of the code must not leave it behind.

namespace ardea {
namespace {

struct Fault {
  std::string name, file, original;
};

std::vector<Fault> deliberate_faults() {
  std::vector<Fault> faults;
  std::istringstream lines(read_text_file(ARDEA_SOURCE_DIR "/tests/mutants.txt"));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("name: ")) faults.push_back({line.substr(6), {}, {}});
    if (line.starts_with("file: ")) faults.at(faults.size() - 1).file = line.substr(6);
    if (!line.starts_with("- ")) continue;
    std::string& original = faults.at(faults.size() - 1).original;
    original += (original.empty() ? "" : "\n") + line.substr(2);
  }
  return faults;
}

TEST(DeliberateFaults, fit_the_code) {
  const std::vector<Fault> faults = deliberate_faults();
  EXPECT_GT(faults.size(), 50U);
  for (const Fault& fault : faults) {
    const std::string code = read_text_file(ARDEA_SOURCE_DIR "/" + fault.file);
    const std::size_t first = code.find(fault.original);
    ASSERT_NE(first, std::string::npos) << fault.name << ": " << fault.file << " has no\n" << fault.original;
    EXPECT_EQ(code.find(fault.original, first + 1), std::string::npos)
        << fault.name << ": " << fault.file << " has several\n"
        << fault.original;
  }
}

}  // namespace
}  // namespace ardea
