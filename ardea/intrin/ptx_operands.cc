#include "ardea/intrin/ptx_operands.h"

#include <fmt/core.h>

#include <vector>

#include "ardea/support/text.h"

namespace ardea::intrin {

std::string operands_from(int first, int count) {
  std::vector<std::string> all;
  for (int i = 0; i < count; ++i) all.push_back(fmt::format("%{}", first + i));
  return join(all, ", ");
}

std::string registers(const std::string& kind, const std::string& name, int count) {
  std::vector<std::string> all;
  for (int i = 0; i < count; ++i) all.push_back(fmt::format("\"{}\"({}[{}])", kind, name, i));
  return join(all, ", ");
}

}  // namespace ardea::intrin
