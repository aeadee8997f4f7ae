#include "ardea/schedule/primitives/place/position.h"

#include <fmt/core.h>

namespace ardea::schedule {

Result<std::size_t> position_of(std::int64_t index, std::size_t first, std::size_t last,
                                const LoopRef& loop) {
  if (index == -1) return last;
  if (index == -2) return first;
  if (index >= 0 && static_cast<std::size_t>(index) >= first && static_cast<std::size_t>(index) <= last)
    return static_cast<std::size_t>(index);
  const std::string where =
      first == last ? fmt::format("{} is", first) : fmt::format("those from {} to {} are", first, last);
  return Refusal{"no_such_position",
                 fmt::format("index is {}, but in loop {} only {} after what it reads and before what reads "
                             "it (-1: the last such place, -2: the first)",
                             index, loop.var.name(), where)};
}

}  // namespace ardea::schedule
