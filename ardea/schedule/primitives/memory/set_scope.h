#pragma once

#include "ardea/schedule/primitive.h"

namespace ardea::schedule {

struct SetScope {
  BlockRef block;
  std::int64_t buffer_index = 0;
  std::string storage_scope;
  using Results = void;
  static constexpr auto name = "set_scope";
  static constexpr auto fields =
      std::tuple(field("block", &SetScope::block), field("buffer_index", &SetScope::buffer_index),
                 field("storage_scope", &SetScope::storage_scope));
  static constexpr auto contract = R"(a buffer lies in memory of another scope

B = T.alloc_buffer((64, 64))   =>   B = T.alloc_buffer((64, 64), scope="shared")

The buffer is the one that the block writes at that position of its T.writes; views and matched parts of it follow.
Requires that a block allocates it: the memory of parameters is the caller's. No tensor
instruction may need it where it was. Where more threads would share it than before, none may meet another
there.
All references stay valid.)";
  static constexpr std::array refusals = {
      "root_block",          "no_such_buffer",          "no_such_scope",
      "buffer_is_parameter", "instruction_needs_scope", "loop_carries_dependence"};
};
Outcome apply(const Function& f, const SetScope& step, Context& context);

}  // namespace ardea::schedule
