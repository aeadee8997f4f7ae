#include "ardea/ops/workload_line.h"

#include <sstream>

#include "ardea/support/error.h"

namespace ardea::ops {

std::string brief(const Workload& w) {
  const Workload by_sizes = make_workload({.op = w.op, .sizes = w.sizes});
  const Workload by_types = make_workload({.op = w.op, .sizes = w.sizes, .in = w.in});
  std::istringstream words(to_string(w));
  std::string text, word;
  words >> text >> word;
  text += " " + word;
  while (words >> word) {
    const bool is_default = (word.starts_with("in=") && w.in == by_sizes.in) ||
                            (word.starts_with("acc=") && w.acc == by_types.acc) ||
                            (word.starts_with("out=") && w.out == by_types.out) ||
                            (word.starts_with("layout=") && w.layout == by_sizes.layout);
    if (!is_default) text += " " + word;
  }
  return text;
}

std::optional<Workload> workload_of(const std::string& line) {
  std::istringstream words(line);
  Workload w;
  std::string sizes;
  words >> w.op >> sizes;
  try {
    w.sizes = parse_sizes(sizes);
    for (std::string word; words >> word;) {
      const std::size_t equal = word.find('=');
      const std::string key = word.substr(0, equal);
      const std::string value = equal == std::string::npos ? "" : word.substr(equal + 1);
      if (key == "in") w.in = parse_types(value);
      if (key == "acc") w.acc = parse_types(value).at(0);
      if (key == "out") w.out = parse_types(value).at(0);
      if (key == "layout") w.layout = value;
      if (key == "transpose_b") w.transpose_b = true;
    }
    w = make_workload(std::move(w));
  } catch (const Error&) {
    return std::nullopt;
  }
  // Exactly such a line: a word that was passed over is another workload's.
  return to_string(w) == line ? std::optional(std::move(w)) : std::nullopt;
}

}  // namespace ardea::ops
