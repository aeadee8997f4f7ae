#pragma once

#include "ardea/schedule/primitive.h"

namespace ardea::schedule {

struct SetType {
  BlockRef block;
  std::int64_t buffer_index = 0;
  std::string type;
  using Results = void;
  static constexpr auto name = "set_type";
  static constexpr auto fields =
      std::tuple(field("block", &SetType::block), field("buffer_index", &SetType::buffer_index),
                 field("type", &SetType::type));
  static constexpr auto contract = R"(a buffer holds what its readers make of its elements

B: B[i] = x;  C: … T.Cast("float16", B[i]) …   =>   B: B[i] = T.Cast("float16", x);  C: … B[i] …

The buffer is the one that the block writes at that position of its T.writes. Its elements are converted before they
are stored instead of after they are read: where the type is narrower they take less memory.
Requires that a block allocates it, that it is used by plain loads and stores only, and that each load is
converted to that type and used as nothing else.
All references stay valid.)";
  static constexpr std::array refusals = {"root_block",          "no_such_buffer",   "no_such_type",
                                          "buffer_is_parameter", "buffer_is_viewed", "read_as_another_type"};
};
Outcome apply(const Function& f, const SetType& step, Context& context);

}  // namespace ardea::schedule
