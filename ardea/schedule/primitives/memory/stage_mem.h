#pragma once

#include "ardea/schedule/primitive.h"
#include "ardea/schedule/program/buffer_argument.h"
#include "ardea/schedule/program/index_text.h"

namespace ardea::schedule {

struct StageMem {
  BlockOrLoop block_or_loop;
  BufferArgument buffer;
  std::string storage_scope;
  std::optional<IndexText> window = {};
  bool accumulate = false;
  using Results = std::vector<BlockRef>;
  static constexpr auto name = "stage_mem";
  static constexpr auto fields = std::tuple(
      field("block_or_loop", &StageMem::block_or_loop), field("buffer", &StageMem::buffer),
      field("storage_scope", &StageMem::storage_scope), optional_field("window", &StageMem::window),
      optional_field("accumulate", &StageMem::accumulate));
  static constexpr auto contract =
      R"(a part of the program works on a copy of the window of a buffer that it touches

for j: C[i, j] += …   =>   for ax0: C_local[i, ax0] = C[i, ax0]
                           for j: C_local[i, j] += …
                           for ax0: C[i, ax0] = C_local[i, ax0]

The part is the loop with all inside it, or one instance of the block. The buffer is named, or counted among the
regions that the part reads or writes: ("read", i), ("write", i). The window is the box around all that the part
touches, or what is asked for as text over the loops around and the sizes: "i * 4:i * 4 + 4, 0:n", which must
contain it. The copy is a buffer <buffer>_<scope> in the given scope, with the shape of the old one, allocated by
the block around: lowering keeps the window of it.
A block <buffer>_load before the part copies the window in, and <buffer>_store after it copies out what the part
writes. What is not needed is left out: a part that writes all of the window before it reads it loads nothing, a
part that only reads stores nothing.
With accumulate, the copy starts from zero instead, filled by a block <buffer>_zero, and <buffer>_store adds it to
what is there: the part must do nothing with the buffer but add to its elements. Sums of floats are then taken in
another order. A part of a reduction that contains its init, which sets to zero, loses it: <buffer>_store then
overwrites what is there, in those runs that would have begun with the init, and <buffer>_add adds in the others.
Requires that what is copied in has a value: it is an input, or all of it is read or was written before; that the
part touches the buffer by loads and stores of itself; that without accumulate it contains all of a reduction of which it
contains the init; that concurrent loops around stay free of races.
Results: the blocks that it adds, in program order. All references stay valid.)";
  static constexpr std::array refusals = {
      "root_block",     "no_such_buffer",      "no_such_scope", "buffer_is_viewed",
      "init_inside",    "bad_window",          "rank_differs",  "window_too_small",
      "window_outside", "window_has_no_value", "not_a_sum",     "loop_carries_dependence"};
};
Outcome apply(const Function& f, const StageMem& step, Context& context);

}  // namespace ardea::schedule
