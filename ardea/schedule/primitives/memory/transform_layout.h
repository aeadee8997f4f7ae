#pragma once

#include "ardea/schedule/primitive.h"
#include "ardea/schedule/program/buffer_argument.h"
#include "ardea/schedule/program/index_text.h"

namespace ardea::schedule {

struct TransformLayout {
  BlockRef block;
  BufferArgument buffer;
  IndexText index_map;
  std::optional<double> pad_value = {};
  using Results = std::vector<BlockRef>;
  static constexpr auto name = "transform_layout";
  static constexpr auto fields =
      std::tuple(field("block", &TransformLayout::block), field("buffer", &TransformLayout::buffer),
                 field("index_map", &TransformLayout::index_map),
                 optional_field("pad_value", &TransformLayout::pad_value));
  static constexpr auto contract =
      R"(a buffer that the block touches gets another order of its elements, packed and padded as asked

transform_layout(C, ("read", 1), lambda k, n: (n // 16, k, n % 16)):
B[k, n]  =>  B[n // 16, k, n % 16] in all of the program, in a buffer of shape (ceil(N / 16), K, 16)

The buffer is named, or counted among the regions that the block declares: ("read", i), ("write", i). The map
is the text of a lambda of index arithmetic, + - * // %, over the indices and the sizes that the program knows
by name, or a list of such a text and of [name, number] pairs for other numbers in it.
In the last index j of memory that a block allocates `^` may stand, as (…, i, j ^ (i % rows * unit)) with powers of
two: a swizzle. Units of each row change places, so that those of a column lie in different banks. It is a note on a
block that writes the memory: the program's indices stay, and lowering puts elements there (swizzle_rows).
A buffer that a block allocates is replaced where it is allocated; loops and iterators stay, only indices
change. With a pad_value, a block <buffer>_pad before its first use fills the places that hold no element;
without, these are never written nor read.
A parameter keeps its layout, for the function's interface does not change. What is read of it is first copied
into <buffer>_packed by a block <buffer>_pack before the first use, over the places of the new layout, padding
included (pad_value, or 0): compute_at moves it. What is written is computed in <buffer>_packed, and a block
<buffer>_unpack after the last use copies it out.
Requires that different elements get different places, none negative; loads and stores of single elements by
the buffer itself; of a parameter that is written, that all of it is written, or all read.
Results: the blocks that it adds, in program order. All references stay valid.)";
  static constexpr std::array refusals = {"no_such_buffer", "bad_index_map",          "rank_differs",
                                          "not_injective",  "negative_place",         "buffer_is_viewed",
                                          "vector_access",  "pad_value_does_not_fit", "writes_only_part",
                                          "not_invertible", "not_a_swizzle"};
};
Outcome apply(const Function& f, const TransformLayout& step, Context& context);

}  // namespace ardea::schedule
