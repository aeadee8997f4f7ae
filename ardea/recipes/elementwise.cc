#include "ardea/recipes/elementwise.h"

#include <algorithm>
#include <array>

#include "ardea/recipes/extents.h"
#include "ardea/recipes/threads.h"
#include "ardea/schedule/primitives/loops/fuse.h"
#include "ardea/schedule/primitives/loops/mark.h"
#include "ardea/schedule/primitives/loops/reorder.h"
#include "ardea/schedule/primitives/loops/split.h"
#include "ardea/support/ceil_div.h"

namespace ardea::recipes {

using namespace schedule;

namespace {

/// All operands have the shape of the result: its elements are one row.
constexpr std::array same_shape = {"relu", "add", "mul", "sigmoid", "tanh", "gelu"};
/// Rows of fewer vectors are not worth a loop of their own.
constexpr std::int64_t few_vectors = 4;
/// Some have one element a column.
constexpr std::array by_column = {"bias_add", "batchnorm"};

template <class List>
bool is_among(const std::string& name, const List& list) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

}  // namespace

bool serves_elementwise(const ops::Workload& workload, const target::Target& target) {
  return (is_among(workload.op, same_shape) || is_among(workload.op, by_column)) &&
         target.kind == target::Kind::cpu && target.vector_bits >= 128;
}

void schedule_elementwise(Schedule& s, const ops::Workload& workload, const target::Target& target) {
  const auto loops = s.get_loops(s.get_block(block_names(s).back()));
  const std::int64_t rows = extent_of(s, loops[0]), columns = extent_of(s, loops[1]);
  const std::int64_t lanes = target.vector_bits / std::max<int>(8, workload.out.bits);
  if (is_among(workload.op, same_shape) && columns < few_vectors * lanes) {
    s.apply(Vectorize{s.loops(Fuse{{loops[0], loops[1]}})[0]});
    return;
  }
  if (!worth_threads(workload, target) || rows >= target.cores) {
    s.apply(Vectorize{loops[1]});
    if (worth_threads(workload, target)) s.apply(Parallel{loops[0]});
    return;
  }
  // Fewer rows than cores: each core a part of the columns that begins where a vector does.
  const std::int64_t share = ceil_div(columns, target.cores);
  const auto parts = s.loops(Split{loops[1], {std::nullopt, round_up(share, lanes)}});
  s.apply(Reorder{{parts[0], loops[0]}});
  s.apply(Vectorize{parts[1]});
  s.apply(Parallel{parts[0]});
}

}  // namespace ardea::recipes
