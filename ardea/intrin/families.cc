#include "ardea/intrin/families.h"

#include <algorithm>

#include "ardea/ir/parse.h"

namespace ardea::intrin {

bool Instruction::is_of_warp() const {
  return std::any_of(operands.begin(), operands.end(),
                     [](const Operand& operand) { return operand.lane_words > 0; });
}

Instruction written_instruction(const std::string& name, const std::string& feature,
                                const std::string& meaning, std::vector<Operand> operands,
                                std::map<std::string, std::string> implementations,
                                const std::string& rounding) {
  return {.name = name,
          .meaning = parse_function(meaning, name),
          .operands = std::move(operands),
          .required_feature = feature,
          .implementations = std::move(implementations),
          .rounding = rounding};
}

std::string tensor_core_rounding() {
  return "the products of one instruction are exact, and are added to the sum with fewer roundings than one "
         "a "
         "product";
}

std::string filled(std::string text, const std::map<std::string, std::string>& words) {
  std::vector<std::pair<std::string, std::string>> longest_first(words.begin(), words.end());
  std::stable_sort(longest_first.begin(), longest_first.end(),
                   [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });
  for (const auto& [word, value] : longest_first) {
    const std::string name = "$" + word;
    for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + value.size()))
      text.replace(at, name.size(), value);
  }
  return text;
}

}  // namespace ardea::intrin
