#pragma once

#include "ardea/schedule/primitive.h"

/// Looking at the program: these change nothing.

namespace ardea::schedule {

/// The block of that name.
struct GetBlock {
  std::string block;
  std::string function = "main";
  static constexpr auto name = "get_block";
  static constexpr auto fields =
      std::tuple(field("name", &GetBlock::block), optional_field("func_name", &GetBlock::function));
};
Outcome apply(const Function& f, const GetBlock& step, Context& context);

/// The loops around a block, outermost first, up to the block around it.
struct GetLoops {
  BlockRef block;
  static constexpr auto name = "get_loops";
  static constexpr auto fields = std::tuple(field("block", &GetLoops::block));
};
Outcome apply(const Function& f, const GetLoops& step, Context& context);

/// The blocks directly inside a block, in program order.
struct GetChildBlocks {
  BlockRef block;
  static constexpr auto name = "get_child_blocks";
  static constexpr auto fields = std::tuple(field("block", &GetChildBlocks::block));
};
Outcome apply(const Function& f, const GetChildBlocks& step, Context& context);

/// Blocks beside it that write what it reads.
struct GetProducers {
  BlockRef block;
  static constexpr auto name = "get_producers";
  static constexpr auto fields = std::tuple(field("block", &GetProducers::block));
};
Outcome apply(const Function& f, const GetProducers& step, Context& context);

/// Blocks beside it that read what it writes.
struct GetConsumers {
  BlockRef block;
  static constexpr auto name = "get_consumers";
  static constexpr auto fields = std::tuple(field("block", &GetConsumers::block));
};
Outcome apply(const Function& f, const GetConsumers& step, Context& context);

}  // namespace ardea::schedule
