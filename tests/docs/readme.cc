#include <gtest/gtest.h>

#include "ardea/support/text_file.h"

namespace ardea {
namespace {

std::string contents(const std::string& path) { return read_text_file(ARDEA_SOURCE_DIR "/" + path); }

TEST(Readme, shows_the_example_that_is_compiled) {
  EXPECT_NE(contents("README.md").find("```cpp\n" + contents("examples/gemm.cc") + "```"), std::string::npos)
      << "README.md must show examples/gemm.cc as it is";
}

}  // namespace
}  // namespace ardea
