#include "ardea/cli/promises.h"

#include <charconv>

#include "ardea/ir/memory_alignment.h"
#include "ardea/support/error.h"

namespace ardea::cli {

Module with_promises(Module module, const std::vector<std::string>& promises) {
  for (const std::string& text : promises) {
    const std::string call = "--align " + text;
    const std::size_t equal = text.find('=');
    const std::string name = equal == std::string::npos ? "" : text.substr(0, equal);
    const std::string number = equal == std::string::npos ? text : text.substr(equal + 1);
    std::int64_t bytes = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), bytes);
    require(error == std::errc() && end == number.data() + number.size(),
            "{}: write a number of bytes for all arrays, as in --align 64, or for one, as in --align A=64",
            call);
    bool is_array = false;
    for (Function& f : module.functions)
      for (const Parameter& p : std::vector(f.parameters)) {
        if (!p.buffer.defined() || (!name.empty() && p.buffer->name != name)) continue;
        f = promise_alignment(f, p.buffer->name, bytes, call);
        is_array = true;
      }
    if (!is_array) promise_alignment(module.functions[0], name, bytes, call);  // says what is wrong
  }
  return module;
}

std::vector<std::string> known_promises(const Module& module, const std::vector<std::string>& promises) {
  std::vector<std::string> known;
  for (const std::string& text : promises) {
    const std::size_t equal = text.find('=');
    bool is_known = equal == std::string::npos;
    for (const Function& f : module.functions)
      for (const Parameter& p : f.parameters)
        is_known = is_known || (p.buffer.defined() && p.buffer->name == text.substr(0, equal));
    if (is_known) known.push_back(text);
  }
  return known;
}

}  // namespace ardea::cli
