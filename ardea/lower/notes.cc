#include "ardea/lower/notes.h"

#include <fmt/format.h>

#include <algorithm>

#include "ardea/ir/traverse.h"

namespace ardea::lower {

std::vector<std::string> notes(const Function& f) {
  std::vector<std::string> sentences;
  const auto say = [&](std::string sentence) {
    // Tails and copies of one loop have one name.
    if (std::find(sentences.begin(), sentences.end(), sentence) == sentences.end())
      sentences.push_back(std::move(sentence));
  };
  visit_stmts(f.body, [&](const Stmt& s) {
    const auto* allocate = s.as<Allocate>();
    if (allocate != nullptr && integer_attribute(allocate->annotations, swizzle_refused_key, 0) != 0)
      say(fmt::format(
          "{}: the rows of {} lie as they are though a swizzle was asked for: it needs rows of a power of "
          "two "
          "units, as many as it exchanges, and no instruction that takes addresses; storage_align puts rows "
          "apart instead",
          f.name, allocate->data.name()));
    const auto* loop = s.as<For>();
    if (loop == nullptr) return;
    if (const std::int64_t steps = integer_attribute(loop->annotations, unroll_refused_key, 0); steps != 0)
      say(fmt::format(
          "{}: loop {} stays a loop though it is marked unroll: with the loops inside it would be {} "
          "steps, at most {} are written out; unroll fewer loops, or split them and unroll the inner "
          "parts",
          f.name, loop->var.name(), steps, most_unrolled_steps));
    const auto say_if_serial = [&](const std::string& key, const char* mark, const char* way_out) {
      if (integer_attribute(loop->annotations, key, 0) == 0) return;
      say(fmt::format(
          "{}: loop {} is serial though it is marked {}: it is not proved that its iterations touch no "
          "memory in common; {}, or give each iteration memory of its own",
          f.name, loop->var.name(), mark, way_out));
    };
    say_if_serial(lanes_refused_key, "vectorized", "vectorize another loop");
    say_if_serial(threads_refused_key, "parallel", "run another loop in parallel");
  });
  return sentences;
}

}  // namespace ardea::lower
