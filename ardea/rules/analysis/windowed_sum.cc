#include "ardea/rules/analysis/windowed_sum.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <numeric>

#include "ardea/arith/analyzer.h"
#include "ardea/arith/regions_linear.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/substitute.h"
#include "ardea/rules/analysis/producers.h"
#include "ardea/schedule/program/tree.h"

namespace ardea::rules {

namespace {

/// The two factors of what a block adds to its element; nothing where it does something else.
std::optional<std::pair<Load, Load>> summed_product(const Block& block) {
  const auto added = added_term(block);
  const auto* term = added ? added->as<Binary>() : nullptr;
  if (term == nullptr || term->op != BinaryOp::mul) return std::nullopt;
  const auto *left = term->left.as<Load>(), *right = term->right.as<Load>();
  if (left == nullptr || right == nullptr) return std::nullopt;
  return std::pair(*left, *right);
}

/// Reads the roles of iterators off the indices of one pair of operands.
class Roles {
 public:
  Roles(const Stage& stage, const Load& data, const Load& kernel)
      : stage_(stage), data_(data), kernel_(kernel) {
    // The facts know no ranges: an iterator of one value would vanish from the indices.
    for (std::size_t i = 0; i < stage.iterators.size(); ++i)
      ranges_.push_back({stage.iterators[i], {make_int(0), make_int(stage.extents[i])}});
  }

  std::optional<WindowedSum> run() {
    found_.stage = stage_;
    found_.data = data_.buffer;
    found_.kernel = kernel_.buffer;
    if (!reads_kernel() || !reads_data() || !stands_in_order()) return std::nullopt;
    return std::move(found_);
  }

 private:
  bool is_spatial(std::size_t iterator) const { return iterator < stage_.spatial; }

  std::optional<std::size_t> plain_index(const Expr& index) const {
    for (std::size_t i = 0; i < stage_.iterators.size(); ++i)
      if (index.is<VarNode>() && Var(index) == stage_.iterators[i]) return i;
    return std::nullopt;
  }

  /// Every dimension of the kernel is an iterator: one channel, the others reduce, all of them.
  bool reads_kernel() {
    std::vector<std::size_t> reduced;
    std::optional<std::size_t> channel;
    for (std::size_t d = 0; d < kernel_.indices.size(); ++d) {
      const auto iterator = plain_index(kernel_.indices[d]);
      if (!iterator) return false;
      if (!is_spatial(*iterator)) {
        reduced.push_back(*iterator);
      } else {
        if (channel) return false;
        channel = iterator;
        found_.kernel_channel = d;
      }
    }
    std::sort(reduced.begin(), reduced.end());
    const bool is_each_once = std::adjacent_find(reduced.begin(), reduced.end()) == reduced.end();
    if (!channel || !is_each_once || reduced.size() + stage_.spatial != stage_.iterators.size()) return false;
    found_.channel = *channel;
    found_.group = found_.channels();
    return true;
  }

  /// The dimension is the window's along one axis.
  bool take_axis(const std::vector<std::optional<std::int64_t>>& factors) {
    WindowAxis axis;
    int places = 0, taps = 0;
    for (std::size_t i = 0; i < factors.size(); ++i) {
      if (factors[i] == 0) continue;
      if (!factors[i]) return false;
      if (is_spatial(i)) {
        axis.place = i;
        axis.stride = *factors[i];
        ++places;
      } else {
        axis.tap = i;
        axis.dilation = *factors[i];
        ++taps;
      }
    }
    if (places != 1 || taps != 1 || axis.stride < 1) return false;
    axis.places = stage_.extents[axis.place];
    axis.taps = stage_.extents[axis.tap];
    found_.axes.push_back(axis);
    data_order_.push_back(axis.place);
    return true;
  }

  /// The channels of the data that a group of the result's see: channel // group · inputs + input.
  bool take_group(const Expr& index) {
    const Var& channel = stage_.iterators[found_.channel];
    for (std::size_t i = stage_.spatial; i < stage_.iterators.size(); ++i)
      for (std::int64_t group = 1; group < found_.channels(); ++group) {
        if (found_.channels() % group != 0) continue;
        const Expr expected = floor_div(channel, make_int(group, channel.type())) *
                                  make_int(stage_.extents[i], channel.type()) +
                              stage_.iterators[i];
        if (!facts_.proves(equals(index, expected))) continue;
        found_.group = group;
        found_.input = i;
        return true;
      }
    return false;
  }

  bool take_dimension(const Expr& index) {
    const Expr simple = facts_.simplify(index);
    if (const auto iterator = plain_index(simple)) {
      if (!is_spatial(*iterator)) {
        if (found_.input) return false;
        found_.input = iterator;
        data_order_.push_back(found_.channel);
        return true;
      }
      if (*iterator == found_.channel) found_.group = 1;
      data_order_.push_back(*iterator);
      return true;
    }
    const std::vector<Var> used = free_variables(simple);
    if (std::find(used.begin(), used.end(), stage_.iterators[found_.channel]) != used.end()) {
      if (found_.input || !take_group(simple)) return false;
      data_order_.push_back(found_.channel);
      return true;
    }
    const auto linear = arith::linear_coefficients(simple, ranges_, facts_);
    if (!linear) return false;
    std::vector<std::optional<std::int64_t>> factors;
    for (const Expr& factor : *linear) factors.push_back(constant_int(factor));
    return take_axis(factors);
  }

  bool reads_data() {
    return std::all_of(data_.indices.begin(), data_.indices.end(),
                       [&](const Expr& index) { return take_dimension(index); });
  }

  /// Results and data have batches first, then channels and places or places and channels; every iterator
  /// that reduces has been met.
  bool stands_in_order() {
    std::vector<std::size_t> order(stage_.spatial);
    std::iota(order.begin(), order.end(), 0);
    const std::size_t met = found_.axes.size() + (found_.input ? 1 : 0);
    if (data_order_ != order || found_.axes.empty() || met + stage_.spatial != stage_.iterators.size())
      return false;
    if (stage_.spatial < found_.axes.size() + 1) return false;
    found_.batches = stage_.spatial - found_.axes.size() - 1;
    found_.channels_last = found_.channel + 1 == stage_.spatial;
    if (!found_.channels_last && found_.channel != found_.batches) return false;
    for (std::size_t i = 0; i < found_.axes.size(); ++i)
      if (found_.axes[i].place != found_.batches + i + (found_.channels_last ? 0 : 1)) return false;
    return found_.input || found_.group == 1;
  }

  const Stage& stage_;
  const Load &data_, &kernel_;
  arith::Analyzer facts_;
  std::vector<arith::LoopRange> ranges_;
  std::vector<std::size_t>
      data_order_;  ///< by the data's dimensions: the iterator of the result that is there
  WindowedSum found_;
};

/// if_then_else(…, elements, a constant), either way round.
bool chooses_a_constant(const Function& program, const schedule::BlockRef& block) {
  const auto* store = schedule::path_to(program, block)->block().body.as<Store>();
  const auto* call = store == nullptr ? nullptr : store->value.as<Call>();
  if (call == nullptr || call->op != find_intrinsic("if_then_else")) return false;
  const Expr &yes = call->arguments[1], &no = call->arguments[2];
  return (yes.is<Load>() && no.is<FloatImm>()) || (yes.is<FloatImm>() && no.is<Load>());
}

}  // namespace

std::int64_t WindowAxis::reach(std::int64_t of_places) const {
  return (of_places - 1) * stride + (taps - 1) * std::abs(dilation) + 1;
}

std::int64_t WindowedSum::taps() const {
  return std::accumulate(axes.begin(), axes.end(), std::int64_t{1},
                         [](std::int64_t all, const WindowAxis& axis) { return all * axis.taps; });
}

std::vector<std::int64_t> WindowedSum::reduced_extents() const {
  return {stage.extents.begin() + static_cast<std::ptrdiff_t>(stage.spatial), stage.extents.end()};
}

std::optional<WindowedSum> windowed_sum(const Function& program, const schedule::BlockRef& block) {
  const auto stage = plain_stage(program, block, Lengths::any);
  if (!stage || !stage->reduces()) return std::nullopt;
  const std::vector<Var> elements(stage->iterators.begin(),
                                  stage->iterators.begin() + static_cast<std::ptrdiff_t>(stage->spatial));
  if (!are_plain(stage->indices, elements)) return std::nullopt;
  const auto factors = summed_product(schedule::path_to(program, block)->block());
  if (!factors) return std::nullopt;
  auto found = Roles(*stage, factors->first, factors->second).run();
  if (!found) found = Roles(*stage, factors->second, factors->first).run();
  if (!found) return std::nullopt;
  // How many images there are may be open: nothing is cut along them.
  for (std::size_t i = found->batches; i < stage->extents.size(); ++i)
    if (!stage->is_known(i)) return std::nullopt;
  found->maker = elementwise_producer(program, block, found->data);
  found->has_border = found->maker && chooses_a_constant(program, *found->maker);
  return found;
}

}  // namespace ardea::rules
