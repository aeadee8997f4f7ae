#include "ardea/rules/gpu/prefixes.h"

#include <fmt/core.h>

#include <algorithm>

#include "ardea/ir/substitute.h"
#include "ardea/rules/gpu/reduction.h"
#include "ardea/rules/model/block_threads.h"
#include "ardea/rules/model/prefix_chunks.h"
#include "ardea/rules/model/row_threads.h"
#include "ardea/schedule/analysis/prefix_cut.h"
#include "ardea/schedule/primitives/loops/add_unit_loop.h"
#include "ardea/schedule/primitives/loops/bind.h"
#include "ardea/schedule/primitives/loops/fuse.h"
#include "ardea/schedule/primitives/loops/mark.h"
#include "ardea/schedule/primitives/loops/reorder.h"
#include "ardea/schedule/primitives/loops/split.h"
#include "ardea/schedule/primitives/memory/cache_read.h"
#include "ardea/schedule/primitives/memory/cache_write.h"
#include "ardea/schedule/primitives/memory/set_scope.h"
#include "ardea/schedule/primitives/place/compute_at.h"
#include "ardea/schedule/primitives/reduce/split_prefix.h"
#include "ardea/schedule/program/tree.h"
#include "ardea/support/ceil_div.h"

namespace ardea::rules {

using namespace schedule;

namespace {

/// Sums of prefixes, one along each row: the last of the iterators that make elements says where it ends, the
/// only one that reduces goes along it.
struct PrefixSums {
  Reduction of;
  std::int64_t prefixes = 1, steps = 1;
  std::int64_t longest = 0;  ///< steps of the longest prefix

  std::int64_t rows() const { return of.sum.elements() / prefixes; }
};

std::optional<PrefixSums> prefix_sums(const Derivation& d, const BlockRef& block) {
  const auto found = reduction_to(d, block);
  if (!found) return std::nullopt;
  const Stage& sum = found->sum;
  if (sum.spatial == 0 || sum.extents.size() != sum.spatial + 1) return std::nullopt;
  if (!sum.is_known(sum.spatial - 1) || !sum.is_known(sum.spatial)) return std::nullopt;
  const Block& summing = path_to(d.steps().program(), sum.block)->block();
  const auto reducer = Reducer::of(summing);
  const auto cut = reducer ? prefix_cut(summing, *reducer) : std::nullopt;
  if (!cut || cut->end + 1 != sum.spatial ||
      !are_plain(sum.indices,
                 {sum.iterators.begin(), sum.iterators.begin() + static_cast<std::ptrdiff_t>(sum.spatial)}))
    return std::nullopt;
  PrefixSums all{*found, sum.extents[cut->end], sum.extents[cut->step]};
  all.longest = std::min(all.steps, all.prefixes - 1 + cut->shift);
  // Where the first chunk has all, each element may as well go through it.
  return all.longest > chunk_lengths().front() ? std::optional(all) : std::nullopt;
}

class PrefixThreads {
 public:
  PrefixThreads(Derivation& d, const PrefixSums& found)
      : d_(d),
        s_(d.steps()),
        found_(found),
        sum_(found.of.sum.block),
        name_(path_to(s_.program(), sum_)->block().name) {}

  void run() {
    const BlockRef last = found_.of.last ? found_.of.last->block : s_.blocks(CacheWrite{sum_, 0, "local"})[0];
    if (found_.of.last) s_.apply(SetScope{sum_, 0, "local"});
    choose();
    split_prefixes();
    place(last);
    d_.finish(last);
    for (const auto* blocks : {&totals_, &sums_})
      for (const BlockRef& block : *blocks) d_.finish(block);
  }

 private:
  /// What of a chunk is unrolled depends on its length: each is a way of its own.
  void choose() {
    // One that is as long as the row is no part of it.
    std::vector<std::int64_t> lengths = chunk_lengths();
    std::erase_if(lengths, [&](std::int64_t length) { return length >= found_.longest; });
    std::vector<std::string> answers;
    for (const std::int64_t length : lengths) answers.push_back(fmt::format("{}", length));
    const std::int64_t wanted = std::min(model_chunk_length(found_.longest), lengths.back());
    const auto model = std::find(lengths.begin(), lengths.end(), wanted);
    chunk_ =
        lengths[d_.way(name_ + " chunks of", answers, static_cast<std::size_t>(model - lengths.begin()))];
    const std::int64_t threads = model_chunk_threads(found_.longest, chunk_, d_.target());
    threads_ = d_.number(
        name_ + "_threads",
        powers_of_two(std::min<std::int64_t>(2 * threads, d_.target().gpu->threads_per_block)), threads);
    rows_of_block_ = choose_rows(threads);
  }

  /// A row that is the only one has no index, by which rows of a block could be told apart.
  Number choose_rows(std::int64_t threads) {
    if (found_.rows() == 1) return std::int64_t{1};
    const std::int64_t model = model_rows_in_chunks(found_.rows(), threads, d_.target());
    const std::int64_t most = std::max(model, 2 * usual_block_threads(d_.target()) / threads);
    return d_.number(name_ + "_rows", powers_of_two(std::min(most, found_.rows())), model);
  }

  /// sums_: the sums of the rows, then what stands before chunks, before chunks of chunks, …; totals_: those
  /// that the second and all after it add up.
  void split_prefixes() {
    sums_ = {sum_};
    std::int64_t count = 0, chunk = chunk_;
    do {
      const auto made = s_.blocks(SplitPrefix{sums_.back(), chunk});
      totals_.push_back(made[0]);
      sums_.push_back(made[1]);
      count = *constant_int(
          path_to(s_.program(), made[0])->block().iterators[found_.of.sum.spatial - 1].domain.extent);
      chunk = chunks_together;
    } while (count > most_totals);
  }

  /// Chunks by threads, all of each chunk under one loop; totals before, for all threads of the row.
  void place(const BlockRef& last) {
    std::vector<LoopRef> rows = s_.get_loops(last);
    const LoopRef prefixes = rows.back();
    rows.pop_back();
    if (rows.empty()) rows.push_back(s_.loops(AddUnitLoop{prefixes})[0]);
    const auto blocks = s_.loops(Split{s_.loops(Fuse{rows})[0], {std::nullopt, rows_of_block_}});
    s_.apply(Bind{blocks[0], "blockIdx.x"});
    s_.apply(Bind{blocks[1], "threadIdx.y"});
    const auto chunks = s_.loops(Split{prefixes, {std::nullopt, chunk_}});
    unroll_vectors(chunks[1], lanes_of(found_.of.last ? found_.of.last->out->type : found_.of.sum.out->type,
                                       found_.prefixes));
    s_.apply(ComputeAt{sum_, chunks[0], /*preserve_unit_loops=*/true});
    read_in_vectors(sum_, chunks[0]);
    const LoopRef round = share(chunks[0]);
    // What stands before several chunks is computed for each of them: the loops could no longer change
    // places.
    for (std::size_t level = 1; level < sums_.size(); ++level)
      s_.apply(ComputeAt{sums_[level], round, /*preserve_unit_loops=*/true});
    for (std::size_t level = totals_.size(); level-- > 0;) {
      s_.apply(ComputeAt{totals_[level], blocks[1], /*preserve_unit_loops=*/true});
      s_.apply(SetScope{totals_[level], 0, "shared"});
      const std::vector<LoopRef> loops = s_.get_loops(totals_[level]);
      const LoopRef& chunk = loops[loops.size() - 2];
      s_.apply(Unroll{loops.back()});
      if (level == 0) read_in_vectors(totals_[0], chunk);
      share(chunk);
    }
    for (const BlockRef& sums : sums_) {
      const std::vector<LoopRef> loops = s_.get_loops(sums);
      s_.apply(Unroll{loops[loops.size() - 2]});
      s_.apply(Unroll{loops.back()});
    }
  }

  /// Chunks by threads: each takes some of them, in the loop that this gives. What is read for a chunk stands
  /// in its loop already: threads that have none left then ask for nothing.
  LoopRef share(const LoopRef& chunk) {
    const auto rounds = s_.loops(Split{chunk, {std::nullopt, threads_}});
    s_.apply(Reorder{{rounds[1], rounds[0]}});
    s_.apply(Bind{rounds[1], "threadIdx.x"});
    return rounds[0];
  }

  /// Of one access to rows of so many elements: whole vectors of a chunk.
  std::int64_t lanes_of(DataType type, std::int64_t row) const {
    std::int64_t lanes = std::min(chunk_, access_lanes(type.bits, d_.target()));
    while (row % lanes != 0) lanes /= 2;
    return lanes;
  }

  void unroll_vectors(const LoopRef& elements, std::int64_t lanes) {
    const auto vectors = s_.loops(Split{elements, {std::nullopt, lanes}});
    s_.apply(Unroll{vectors[0]});
    s_.apply(Vectorize{vectors[1]});
  }

  /// Whether it is one element after the other of a row.
  bool goes_along(const Load& load) const {
    const Var& step = found_.of.sum.iterators.back();
    return !load.indices.empty() && load.indices.back().is<VarNode>() && Var(load.indices.back()) == step &&
           std::none_of(load.indices.begin(), load.indices.end() - 1,
                        [&](const Expr& index) { return uses(index, step); });
  }

  /// What the block reads of a chunk, into registers before it is added up.
  void read_in_vectors(const BlockRef& block, const LoopRef& chunk) {
    std::vector<Buffer> along;
    for (const Load& load : found_.of.sum.loads)
      if (goes_along(load) && std::find(along.begin(), along.end(), load.buffer) == along.end())
        along.push_back(load.buffer);
    for (const Buffer& buffer : along) {
      const auto& reads = *path_to(s_.program(), block)->block().reads;
      const auto at = std::find_if(reads.begin(), reads.end(),
                                   [&](const BufferRegion& region) { return region.buffer == buffer; });
      const BlockRef copy = s_.blocks(CacheRead{block, at - reads.begin(), "local", {block}})[0];
      s_.apply(ComputeAt{copy, chunk, /*preserve_unit_loops=*/true});
      unroll_vectors(s_.get_loops(copy).back(), lanes_of(buffer->type, found_.steps));
      d_.finish(copy);
    }
  }

  Derivation& d_;
  Schedule& s_;
  const PrefixSums& found_;
  BlockRef sum_;
  std::string name_;
  std::int64_t chunk_ = 1;
  Number threads_, rows_of_block_;
  std::vector<BlockRef> sums_, totals_;
};

}  // namespace

Rule prefixes_by_threads() {
  return {
      .name = "prefixes by threads",
      .doc = "sums of prefixes of rows, by threads that each take a chunk and what stands before it",
      .applies = [](const Derivation& d, const BlockRef& block) { return prefix_sums(d, block).has_value(); },
      .apply =
          [](Derivation& d, const BlockRef& block) {
            const PrefixSums found = *prefix_sums(d, block);
            PrefixThreads(d, found).run();
          }};
}

}  // namespace ardea::rules
