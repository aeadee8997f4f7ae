#pragma once

#include "ardea/space/system.h"

namespace ardea::space {

/// One point out of several systems that share nothing: the sketches of a space.
struct Choice {
  std::size_t sketch = 0;
  Point point;

  friend bool operator==(const Choice&, const Choice&) = default;
  friend auto operator<=>(const Choice&, const Choice&) = default;
};

}  // namespace ardea::space
