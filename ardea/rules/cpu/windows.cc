#include "ardea/rules/cpu/windows.h"

#include <fmt/core.h>

#include <algorithm>

#include "ardea/rules/analysis/epilogue.h"
#include "ardea/schedule/primitives/loops/annotate.h"
#include "ardea/schedule/primitives/memory/cache_read.h"
#include "ardea/schedule/primitives/memory/cache_write.h"
#include "ardea/schedule/primitives/memory/set_scope.h"
#include "ardea/schedule/primitives/memory/transform_layout.h"
#include "ardea/schedule/primitives/place/compute_inline.h"
#include "ardea/schedule/primitives/place/reverse_compute_inline.h"
#include "ardea/schedule/primitives/reduce/pad_einsum.h"
#include "ardea/schedule/program/tree.h"

namespace ardea::rules {

using namespace schedule;

std::optional<WindowedSum> float32_windows(const Derivation& d, const BlockRef& stage) {
  const target::Target& target = d.target();
  if (target.kind != target::Kind::cpu || target.vector_bits < 128) return std::nullopt;
  auto found = windowed_sum(d.steps().program(), stage);
  if (!found || found->stage.out->type != float32 || found->data->type != float32 ||
      found->kernel->type != float32)
    return std::nullopt;
  return found;
}

Rule window_rule(const std::string& name, const std::string& doc,
                 const std::function<bool(const WindowedSum&)>& serves,
                 const std::function<void(Derivation&, const BlockRef&, const WindowedSum&)>& apply) {
  return {.name = name,
          .doc = doc,
          .applies =
              [serves](const Derivation& d, const BlockRef& stage) {
                const auto found = float32_windows(d, stage);
                return found && serves(*found);
              },
          .apply =
              [apply](Derivation& d, const BlockRef& stage) {
                const WindowedSum found = *float32_windows(d, stage);
                apply(d, stage, found);
              }};
}

BlockRef results_in_registers(Derivation& d, const BlockRef& sum, const Followers& followers,
                              const std::optional<IndexText>& layout) {
  Schedule& s = d.steps();
  const Buffer results = path_to(s.program(), sum)->block().writes->at(0).buffer;
  BlockRef out;
  if (followers.unpad && !layout) {
    s.apply(SetScope{sum, 0, "register"});
    out = *followers.unpad;
  } else {
    std::vector<BlockRef> places;  // of a parameter, which keeps its layout
    if (layout) places = s.blocks(TransformLayout{sum, {results->name}, *layout});
    out = s.blocks(CacheWrite{sum, 0, "register"})[0];
    if (followers.unpad) places.push_back(*followers.unpad);
    for (const BlockRef& block : places) s.apply(ReverseComputeInline{block});
  }
  if (followers.after) {
    s.apply(ReverseComputeInline{*followers.after});
    d.finish(*followers.after);
  }
  return out;
}

LeftOverChoices choices_of_left_over(const Derivation& d, const BlockRef& block, const Stage& sum,
                                     const TileAxis& rows, const TileAxis& columns) {
  for (std::size_t i = 0; i < sum.extents.size(); ++i)
    if (!sum.is_known(i)) return {};
  const bool cuts = !followers_of(d, block).after;
  return {.rows_cut = cuts && rows.offers(Rest::cut),
          .columns_cut = cuts && columns.offers(Rest::cut),
          .rows_padded = rows.offers(Rest::padded),
          .columns_padded = columns.offers(Rest::padded)};
}

Followers followers_of(const Derivation& d, const BlockRef& sum) {
  return {.unpad = {}, .after = elementwise_consumer(d.steps().program(), sum)};
}

PaddedWindows pad_windows(Derivation& d, const BlockRef& block, const WindowedSum& sum,
                          const std::vector<PaddedIterator>& iterators) {
  Schedule& s = d.steps();
  PaddedWindows padded{.sum = sum, .kernel_copy = {}, .followers = followers_of(d, block)};
  std::vector<Number> padding(sum.stage.iterators.size(), Number(1));
  for (const auto& [iterator, multiple] : iterators) padding[iterator] = multiple;
  const std::vector<BlockRef> added = s.blocks(PadEinsum{block, padding});
  padded.followers.unpad = added.back();
  for (std::size_t i = 0; i + 1 < added.size(); ++i) {
    const Block& copy = path_to(s.program(), added[i])->block();
    const Buffer from = copy.reads->at(0).buffer, to = copy.writes->at(0).buffer;
    if (from == sum.kernel) {
      padded.kernel_copy = added[i];
      padded.sum.kernel = to;
      continue;
    }
    if (sum.has_border) s.apply(ComputeInline{*sum.maker});
    padded.sum.data = to;
    padded.sum.maker = added[i];
    padded.sum.has_border = true;
  }
  return padded;
}

BlockRef copy_for(Derivation& d, const BlockRef& block, const Buffer& buffer,
                  const std::vector<BlockRef>& readers) {
  const auto& reads = *path_to(d.steps().program(), block)->block().reads;
  const auto at = std::find_if(reads.begin(), reads.end(),
                               [&](const BufferRegion& region) { return region.buffer == buffer; });
  return d.steps().blocks(CacheRead{block, at - reads.begin(), "global", readers})[0];
}

BlockRef gather_columns(Derivation& d, const BlockRef& block, const WindowedSum& sum) {
  std::string places;
  for (std::size_t i = 0; i + 1 < sum.rank(); ++i) places += fmt::format("y{}, ", i);
  const std::string map = fmt::format("lambda {0}c, {1}x: ({0}c, {1}x % {2}, x // {2})", batch_indices(sum),
                                      places, sum.axes.back().stride);
  std::string name = sum.data->name;
  std::optional<BlockRef> copy;
  if (sum.has_border) {
    copy = sum.maker;
  } else if (!is_parameter(d.steps().program(), sum.data)) {
    copy = copy_for(d, block, sum.data);
    name = path_to(d.steps().program(), *copy)->block().writes->at(0).buffer->name;
  }
  const auto packed =
      d.steps().blocks(TransformLayout{block, {name}, map, copy ? std::nullopt : std::optional<double>(0.0)});
  return copy ? *copy : packed.at(0);
}

bool shares_rows(const WindowAxis& axis) { return axis.places > 1 && axis.reach(1) > axis.stride; }

void cut_at_border(Derivation& d, const WindowedSum& sum, const LoopRef& rows) {
  if (sum.has_border) d.steps().apply(Pragma{rows, "loop_partition_hint", Argument(true)});
}

std::string channel_panels(std::size_t dimensions, std::size_t channel) {
  std::string all, others;
  for (std::size_t i = 0; i < dimensions; ++i) {
    all += fmt::format("{}d{}", i == 0 ? "" : ", ", i);
    if (i != channel) others += fmt::format("d{}, ", i);
  }
  return fmt::format("lambda {0}: (d{1} // t, {2}d{1} % t)", all, channel, others);
}

std::string batch_indices(const WindowedSum& sum) {
  std::string names;
  for (std::size_t i = 0; i < sum.batches; ++i) names += fmt::format("b{}, ", i);
  return names;
}

}  // namespace ardea::rules
