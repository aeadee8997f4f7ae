#include "ardea/lower/notes.h"

#include <fmt/format.h>

#include <algorithm>

#include "ardea/ir/traverse.h"

namespace ardea::lower {

std::vector<std::string> notes(const Function& f) {
  std::vector<std::string> sentences;
  visit_stmts(f.body, [&](const Stmt& s) {
    const auto* loop = s.as<For>();
    const std::int64_t steps =
        loop == nullptr ? 0 : integer_attribute(loop->annotations, unroll_refused_key, 0);
    if (steps == 0) return;
    const std::string sentence = fmt::format(
        "{}: loop {} stays a loop though it is marked unroll: with the loops inside it would be {} steps, at "
        "most {} are "
        "written out; unroll fewer loops, or split them and unroll the inner parts",
        f.name, loop->var.name(), steps, most_unrolled_steps);
    // Tails and copies of one loop have one name.
    if (std::find(sentences.begin(), sentences.end(), sentence) == sentences.end())
      sentences.push_back(sentence);
  });
  return sentences;
}

}  // namespace ardea::lower
