#include "ardea/interp/place.h"

#include "ardea/ir/print.h"
#include "ardea/support/text.h"

namespace ardea::interp {

std::string first_line_of(const Stmt& s) {
  const std::string text = print(s);
  const std::size_t begin = text.find_first_not_of(" \n");
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find('\n', begin) - begin);
}

std::string element_name(const Buffer& buffer, std::span<const std::int64_t> indices) {
  std::vector<std::string> parts;
  for (const std::int64_t index : indices) parts.push_back(std::to_string(index));
  return buffer->name + "[" + join(parts, ", ") + "]";
}

}  // namespace ardea::interp
