#include "tests/space/tensor_core_gemm.h"

#include <fmt/core.h>

#include <fstream>
#include <sstream>

#include "ardea/space/parse.h"
#include "ardea/support/error.h"

namespace ardea::space::testing {

System tensor_core_gemm(std::int64_t m, std::int64_t n, std::int64_t k) {
  const std::string path = std::string(ARDEA_SOURCE_DIR) + "/tests/fixtures/spaces/tensor_core_gemm.space";
  std::ifstream file(path);
  require(file.good(), "cannot read {}", path);
  std::stringstream text;
  text << fmt::format("define M = {}\ndefine N = {}\ndefine K = {}\n", m, n, k) << file.rdbuf();
  return parse(text.str(), path);
}

}  // namespace ardea::space::testing
