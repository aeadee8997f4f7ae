#pragma once

#include "ardea/schedule/primitive.h"

/// Looking at the program: these change nothing.

namespace ardea::schedule {

struct GetBlock {
  std::string block;
  std::optional<std::string> function = {};  ///< None: the program's own
  using Results = BlockRef;
  static constexpr auto name = "get_block";
  static constexpr auto fields =
      std::tuple(field("name", &GetBlock::block), optional_field("func_name", &GetBlock::function));
  static constexpr auto contract = "the block of that name";
  static constexpr std::array refusals = {"no_such_block", "block_name_is_not_unique", "no_such_function"};
};
Outcome apply(const Function& f, const GetBlock& step, Context& context);

struct GetLoops {
  BlockRef block;
  using Results = std::vector<LoopRef>;
  static constexpr auto name = "get_loops";
  static constexpr auto fields = std::tuple(field("block", &GetLoops::block));
  static constexpr auto contract = "the loops around a block, outermost first, up to the block around it";
  static constexpr std::array<const char*, 0> refusals = {};
};
Outcome apply(const Function& f, const GetLoops& step, Context& context);

struct GetChildBlocks {
  BlockRef block;
  using Results = std::vector<BlockRef>;
  static constexpr auto name = "get_child_blocks";
  static constexpr auto fields = std::tuple(field("block", &GetChildBlocks::block));
  static constexpr auto contract = "the blocks directly inside a block, in program order";
  static constexpr std::array<const char*, 0> refusals = {};
};
Outcome apply(const Function& f, const GetChildBlocks& step, Context& context);

struct GetProducers {
  BlockRef block;
  using Results = std::vector<BlockRef>;
  static constexpr auto name = "get_producers";
  static constexpr auto fields = std::tuple(field("block", &GetProducers::block));
  static constexpr auto contract = "the blocks beside it that write what it reads";
  static constexpr std::array<const char*, 0> refusals = {};
};
Outcome apply(const Function& f, const GetProducers& step, Context& context);

struct GetConsumers {
  BlockRef block;
  using Results = std::vector<BlockRef>;
  static constexpr auto name = "get_consumers";
  static constexpr auto fields = std::tuple(field("block", &GetConsumers::block));
  static constexpr auto contract = "the blocks beside it that read what it writes";
  static constexpr std::array<const char*, 0> refusals = {};
};
Outcome apply(const Function& f, const GetConsumers& step, Context& context);

}  // namespace ardea::schedule
