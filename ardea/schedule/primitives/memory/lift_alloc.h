#pragma once

#include "ardea/schedule/primitive.h"

namespace ardea::schedule {

/// A buffer that a block allocates: by its name, or counted from 0.
using AllocationArgument = std::variant<std::string, std::int64_t>;

template <>
struct Convert<AllocationArgument> {
  static std::string expected() { return "the name of a buffer or a number"; }
  static Argument to(const AllocationArgument& allocation) {
    return std::visit([](const auto& value) { return Argument{value}; }, allocation);
  }
  static std::optional<AllocationArgument> from(const Argument& argument) {
    if (const auto* name = std::get_if<std::string>(&argument.value)) return AllocationArgument(*name);
    if (const auto* index = std::get_if<std::int64_t>(&argument.value)) return AllocationArgument(*index);
    return std::nullopt;
  }
};

struct LiftAlloc {
  BlockRef block;
  AllocationArgument buffer = std::int64_t{0};
  std::int64_t n_lifts = 1;
  using Results = void;
  static constexpr auto name = "lift_alloc";
  static constexpr auto fields =
      std::tuple(field("block", &LiftAlloc::block), optional_field("buffer", &LiftAlloc::buffer),
                 optional_field("n_lifts", &LiftAlloc::n_lifts));
  static constexpr auto contract =
      R"(a buffer that a block allocates is allocated by the block around it, and lives across the block's instances

with block X: L = alloc; …   =>   L = alloc; with block X: …

The buffer is named, or counted among the allocations of the block. It moves outwards through n_lifts blocks. What the
blocks that it leaves read and write of it is added to their regions; where their spatial iterators do not tell
its elements apart, these become ordered: their instances now share memory.
Requires that its shape does not depend on what is defined in between, and that concurrent loops in between stay
free of races. Each instance finds what the one before it left, where it used to find nothing: add_guard makes use
of that. A buffer that keeps nothing is still allocated where it is used, by lowering.
All references stay valid.)";
  static constexpr std::array refusals = {"no_such_buffer", "no_block_around", "shape_depends",
                                          "loop_carries_dependence"};
};
Outcome apply(const Function& f, const LiftAlloc& step, Context& context);

}  // namespace ardea::schedule
