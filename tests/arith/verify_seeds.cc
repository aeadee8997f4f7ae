#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "ardea/ir/equal.h"
#include "ardea/support/text_file.h"
#include "tests/arith/laws.h"

/// The listings of the seeds: programs that a well-known compiler printed. All are legal, and their regions
/// are what we infer.

namespace ardea::arith {
namespace {

std::vector<std::filesystem::path> listings() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(ARDEA_SOURCE_DIR) + "/tests/fixtures/seed002"))
    if (entry.path().extension() == ".tir") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

/// The text without the lines that declare regions.
std::string without_regions(const std::string& text) {
  std::stringstream in(text), out;
  for (std::string line; std::getline(in, line);)
    if (line.find("T.reads(") == std::string::npos && line.find("T.writes(") == std::string::npos)
      out << line << "\n";
  return out.str();
}

TEST(Seeds, keep_every_law) {
  ASSERT_GE(listings().size(), 12u);
  for (const auto& file : listings()) {
    SCOPED_TRACE(file.string());
    const std::vector<Violation> violations = verify(parse(read_text_file(file), file.string()));
    EXPECT_TRUE(violations.empty()) << all_of(violations);
  }
}

TEST(Seeds, declare_the_regions_that_we_infer) {
  std::size_t compared = 0;
  for (const auto& file : listings()) {
    SCOPED_TRACE(file.string());
    const std::string text = read_text_file(file);
    if (text.find("T.reads(") == std::string::npos) continue;
    ++compared;
    const Module declared = parse(text), inferred = complete_regions(parse(without_regions(text)));
    EXPECT_TRUE(structurally_equal(declared, inferred)) << first_difference(declared, inferred);
    EXPECT_EQ(print(declared), print(inferred));
  }
  EXPECT_GE(compared, 7u);
}

}  // namespace
}  // namespace ardea::arith
