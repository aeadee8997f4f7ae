#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "ardea/ir/print.h"
#include "ardea/lower/pipeline.h"
#include "programs.h"

/// Each pass on one program, as text: golden/<pass>.txt holds the program before and after. With
/// ARDEA_UPDATE_GOLDEN=1 in the environment the part after is written anew, to be read before it is believed.

namespace ardea::lower {

namespace {

const std::string separator = "\n# becomes\n\n";

std::string path_of(const std::string& pass) {
  return std::string(ARDEA_SOURCE_DIR) + "/tests/lower/golden/" + pass + ".txt";
}

std::string read(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

/// Those of CPUs, and of GPUs what they have besides.
std::vector<std::pair<Pass, target::Target>> all_passes() {
  std::vector<std::pair<Pass, target::Target>> all;
  for (const char* machine : {"generic-x86_64", "h200"}) {
    const target::Target target = target::find(machine);
    for (const Pass& pass : pipeline(target))
      if (std::none_of(all.begin(), all.end(),
                       [&](const auto& known) { return known.first.name == pass.name; }))
        all.emplace_back(pass, target);
  }
  return all;
}

std::vector<std::string> pass_names() {
  std::vector<std::string> names;
  for (const auto& [pass, target] : all_passes()) names.push_back(pass.name);
  return names;
}

class Golden : public ::testing::TestWithParam<std::string> {};

TEST_P(Golden, gives_the_text_that_was_read_and_approved) {
  const std::string path = path_of(GetParam()), text = read(path);
  const std::size_t cut = text.find(separator);
  ASSERT_NE(cut, std::string::npos) << path << " has no program, or no line `# becomes` after it";
  const std::string before = text.substr(0, cut), wanted = text.substr(cut + separator.size());
  std::string got;
  for (const auto& [pass, target] : all_passes())
    if (pass.name == GetParam()) got = print(pass.run(function_of(before), target));
  if (std::getenv("ARDEA_UPDATE_GOLDEN") != nullptr)
    std::ofstream(path) << before << separator << got;
  else
    EXPECT_EQ(got, wanted);
}

INSTANTIATE_TEST_SUITE_P(Lowering, Golden, ::testing::ValuesIn(pass_names()),
                         [](const auto& info) { return info.param; });

TEST(GoldenFolder, has_no_text_of_a_pass_that_is_gone) {
  const std::vector<std::string> names = pass_names();
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(ARDEA_SOURCE_DIR) + "/tests/lower/golden"))
    EXPECT_NE(std::find(names.begin(), names.end(), entry.path().stem().string()), names.end())
        << entry.path();
}

}  // namespace

}  // namespace ardea::lower
