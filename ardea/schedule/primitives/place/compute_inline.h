#pragma once

#include "ardea/schedule/primitive.h"

namespace ardea::schedule {

struct ComputeInline {
  BlockRef block;
  using Results = void;
  static constexpr auto name = "compute_inline";
  static constexpr auto fields = std::tuple(field("block", &ComputeInline::block));
  static constexpr auto contract = R"(a block's value is computed where it is read

P: B[v] = f(v);  C: … B[x] …   =>   C: … f(x) …

Every load of B becomes f at the load's indices; P, the loops in which nothing else stands, and B go away.
Requires that P is nothing but one store of one element (lets around it aside) over spatial iterators, at an
index that determines them: v in any order, v + c, c - v, v0 * n + v1. B is allocated by the block around P,
P is its only writer and comes before the readers, writes all that they read, and nothing overwrites what
f reads before they read it. B is read by plain loads alone: not through masks or vectors of indices, views,
matched parts or addresses, and not in a loop's bounds or a block's bindings and predicate.
References to P and to the loops that go with it end; all others stay valid.)";
  static constexpr std::array refusals = {
      "root_block",     "not_spatial",         "not_one_store", "view_around",          "has_effect",
      "reads_itself",   "buffer_not_of_scope", "other_writer",  "buffer_is_viewed",     "not_read",
      "read_as_vector", "read_in_binding",     "read_before",   "index_not_invertible", "writes_only_part",
      "input_changes"};
};
Outcome apply(const Function& f, const ComputeInline& step, Context& context);

}  // namespace ardea::schedule
