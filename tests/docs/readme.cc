#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace {

std::string contents(const std::string& path) {
  std::ifstream file(std::string(ARDEA_SOURCE_DIR) + "/" + path);
  EXPECT_TRUE(file.good()) << path;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Readme, shows_the_example_that_is_compiled) {
  EXPECT_NE(contents("README.md").find("```cpp\n" + contents("examples/gemm.cc") + "```"), std::string::npos)
      << "README.md must show examples/gemm.cc as it is";
}

}  // namespace
