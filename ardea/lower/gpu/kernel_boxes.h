#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "ardea/ir/box_copy.h"
#include "ardea/ir/stmt.h"
#include "ardea/ir/window_copy.h"

namespace ardea::lower {

/// What a kernel copies boxes of, as its launch has to describe it to the unit: an array, and the boxes'
/// form, or how windows go through it.
struct BoxedArray {
  Var array;
  DataType type;
  std::variant<BoxCopy, WindowCopy> part;  ///< without where it begins

  bool is_alike(const BoxedArray& other) const;
};

/// Of such a call; nothing of others.
std::optional<BoxedArray> boxed_array(const Call& call);

/// All that s copies boxes of, each once.
std::vector<BoxedArray> boxed_arrays(const Stmt& s);

/// Groups of copies of boxes that may be under way: each has a barrier in shared memory, at which they land.
constexpr std::int64_t landings_of_kernel = 8, landing_bytes = 8;
constexpr std::size_t most_boxed_arrays = 16;  ///< of a kernel

}  // namespace ardea::lower
