#include "ardea/rules/gpu/implicit_product.h"

#include <fmt/core.h>

#include <algorithm>

#include "ardea/arith/analyzer.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/layout.h"
#include "ardea/ir/substitute.h"
#include "ardea/rules/analysis/contraction.h"
#include "ardea/rules/analysis/epilogue.h"
#include "ardea/rules/analysis/producers.h"
#include "ardea/rules/gpu/block_tile.h"
#include "ardea/rules/gpu/phases.h"
#include "ardea/schedule/primitives/loops/fuse.h"
#include "ardea/schedule/primitives/loops/iterate_by_loops.h"
#include "ardea/schedule/primitives/loops/reorder.h"
#include "ardea/schedule/primitives/memory/reindex.h"
#include "ardea/schedule/primitives/memory/transform_layout.h"
#include "ardea/schedule/primitives/place/compute_inline.h"
#include "ardea/schedule/program/tree.h"
#include "ardea/support/error.h"
#include "ardea/support/text.h"

namespace ardea::rules {

using namespace schedule;

namespace {

using Group = std::vector<std::size_t>;

/// No access is wider.
constexpr std::int64_t most_side_by_side = 16;

class ImplicitSteps {
 public:
  ImplicitSteps(Derivation& d, const ConvertedContraction& given)
      : d_(d), s_(d.steps()), given_(given), c_(with_neighbours_last(given.contraction)) {}

  ImplicitProduct run() {
    const auto from = [&](std::int64_t read, const Expr& own_condition) {
      return s_.blocks(Reindex{.block = given_.sums,
                               .buffer = {"read", read},
                               .with_condition = c_.condition.defined() || own_condition.defined()})[0];
    };
    ImplicitProduct made;
    made.left = from(c_.left_read, c_.left_condition);
    made.right = from(c_.right_read, c_.right_condition);
    const BlockRef copied = s_.blocks(Reindex{given_.sums, {"write", 0}})[0];
    inline_borders(made.left);
    inline_borders(made.right);
    const bool has_rows_of_columns = is_in(c_.columns, c_.last_of(c_.right.indices));
    const std::vector<Group> left = {c_.rows, c_.depth},
                             right = has_rows_of_columns ? std::vector<Group>{c_.depth, c_.columns}
                                                         : std::vector<Group>{c_.columns, c_.depth};
    count_by(given_.sums, all_iterators(), {c_.rows, c_.columns, c_.depth});
    lay_out(given_.sums, {"read", c_.left_read}, left);
    lay_out(given_.sums, {"read", c_.right_read}, right);
    lay_out(given_.sums, {"write", 0}, {c_.rows, c_.columns});
    count_by(made.left, sorted(left), left);
    count_by(made.right, sorted(right), right);
    if (given_.converter) {
      s_.apply(ComputeInline{copied});
      count_by(*given_.converter, order_of_result(), {c_.rows, c_.columns});
    } else {
      count_by(copied, sorted({c_.rows, c_.columns}), {c_.rows, c_.columns});
    }
    made.product.sums = given_.sums;
    made.product.product = as_matrices(made, !has_rows_of_columns);
    made.left_read = c_.left_read, made.right_read = c_.right_read;
    made.product.converter = given_.converter ? *given_.converter : copied;
    made.left_source = source_of(c_.left.indices, c_.left.buffer, c_.depth, c_.rows);
    made.left_source.window_axes = window_axes_of(c_.left.indices);
    made.right_source = has_rows_of_columns
                            ? source_of(c_.right.indices, c_.right.buffer, c_.columns, c_.depth)
                            : source_of(c_.right.indices, c_.right.buffer, c_.depth, c_.columns);
    made.result = source_of(c_.stage.indices, c_.stage.out, c_.columns, c_.rows);
    made.result.has_even_rows = has_even_rows();
    return made;
  }

 private:
  /// With the iterator along which elements of an operand lie side by side as the innermost of the depth, so
  /// that a copy moves several of them: sums may be made in any order.
  static Contraction with_neighbours_last(Contraction c) {
    for (const std::vector<Expr>* const indices : {&c.left.indices, &c.right.indices}) {
      const auto last = c.last_of(*indices);
      const auto at = last ? std::find(c.depth.begin(), c.depth.end(), *last) : c.depth.end();
      if (at == c.depth.end()) continue;
      std::rotate(at, at + 1, c.depth.end());
      break;
    }
    return c;
  }

  MatrixProduct as_matrices(const ImplicitProduct& made, bool transposed) const {
    const auto written = [&](const BlockRef& block) {
      return path_to(s_.program(), block)->block().body.as<Store>()->buffer;
    };
    MatrixProduct product;
    product.out = written(given_.sums);
    product.left = written(made.left);
    product.right = written(made.right);
    product.sizes = {c_.extent(c_.rows), c_.extent(c_.columns), c_.extent(c_.depth)};
    product.m = make_int(product.sizes.m);
    product.n = make_int(product.sizes.n);
    product.k = make_int(product.sizes.k);
    product.batches = c_.batch.size();
    product.transposed = transposed;
    return product;
  }

  static bool is_in(const Group& group, std::optional<std::size_t> iterator) {
    return iterator && std::find(group.begin(), group.end(), *iterator) != group.end();
  }

  static Group joined(const std::vector<Group>& groups) {
    Group all;
    for (const Group& group : groups) all.insert(all.end(), group.begin(), group.end());
    return all;
  }

  Group all_iterators() const {
    Group all(c_.stage.iterators.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    return all;
  }

  /// Batches and groups in the order of the block's iterators: as reindex has them.
  Group sorted(const std::vector<Group>& groups) const {
    Group all = joined({c_.batch, joined(groups)});
    std::sort(all.begin(), all.end());
    return all;
  }

  /// As the result's indices have them.
  Group order_of_result() const {
    Group all;
    for (const Expr& index : c_.stage.indices)
      all.push_back(static_cast<std::size_t>(
          std::find(c_.stage.iterators.begin(), c_.stage.iterators.end(), Var(index)) -
          c_.stage.iterators.begin()));
    return all;
  }

  /// Whether the result's indices that rows move stand side by side, in their order, and each but the first
  /// takes all of its dimension.
  bool has_even_rows() const {
    const Group order = order_of_result();
    const auto first = std::find(order.begin(), order.end(), c_.rows.front());
    if (order.end() - first < std::ssize(c_.rows) || !std::equal(c_.rows.begin(), c_.rows.end(), first))
      return false;
    for (std::size_t i = 1; i < c_.rows.size(); ++i) {
      const auto dimension = static_cast<std::size_t>(first - order.begin()) + i;
      if (constant_int(c_.stage.out->shape[dimension]) != c_.stage.extents[c_.rows[i]]) return false;
    }
    return true;
  }

  /// The block's loops, each over one of `iterators`, become batches and one for each group.
  void count_by(const BlockRef& block, const Group& iterators, const std::vector<Group>& groups) {
    const auto loops = s_.get_loops(block);
    const auto loop_of = [&](std::size_t iterator) {
      return loops[static_cast<std::size_t>(std::find(iterators.begin(), iterators.end(), iterator) -
                                            iterators.begin())];
    };
    std::vector<LoopRef> order;
    for (const std::size_t i : joined({c_.batch, joined(groups)})) order.push_back(loop_of(i));
    if (order != loops) s_.apply(Reorder{order});
    for (const Group& group : groups) {
      std::vector<LoopRef> fused;
      for (const std::size_t i : group) fused.push_back(loop_of(i));
      if (fused.size() > 1) s_.apply(Fuse{fused});
    }
    s_.apply(IterateByLoops{block});
  }

  /// The reindexed buffer as a matrix behind its batches.
  void lay_out(const BlockRef& block, const BufferArgument& buffer, const std::vector<Group>& groups) {
    std::vector<std::string> names, places;
    for (const std::size_t i : sorted(groups)) names.push_back(fmt::format("i{}", i));
    for (const std::size_t i : c_.batch) places.push_back(fmt::format("i{}", i));
    for (const Group& group : groups) {
      std::string place;
      for (const std::size_t i : group)
        place = place.empty() ? fmt::format("i{}", i)
                              : fmt::format("({}) * {} + i{}", place, c_.stage.extents[i], i);
      places.push_back(place);
    }
    s_.apply(TransformLayout{block, buffer,
                             fmt::format("lambda {}: ({})", join(names, ", "), join(places, ", "))});
  }

  /// What stands around an operand's elements is asked for where they are copied.
  void inline_borders(const BlockRef& copy) {
    const Function& program = s_.program();
    const auto stage = plain_stage(program, copy);
    if (!stage || stage->loads.size() != 1) return;
    const auto maker = elementwise_producer(program, copy, stage->loads[0].buffer);
    if (maker && !d_.is_finished(*maker) && only_moves(program, *maker)) s_.apply(ComputeInline{*maker});
  }

  static bool only_moves(const Function& program, const BlockRef& maker) {
    const auto* store = path_to(program, maker)->block().body.as<Store>();
    if (store == nullptr) return false;
    Expr value = store->value;
    for (const auto* call = value.as<Call>(); call != nullptr && call->op->name == "if_then_else";
         call = value.as<Call>())
      value = call->arguments[1];
    return value.is<Load>();
  }

  /// Of rows along which the innermost of `columns` moves.
  MatrixSource source_of(const std::vector<Expr>& indices, const Buffer& buffer, const Group& columns,
                         const Group& rows) const {
    MatrixSource source;
    for (std::int64_t run = most_side_by_side; run > 1 && source.run == 1; run /= 2)
      if (lie_side_by_side(indices, buffer, columns.back(), run)) source.run = run;
    const bool moves_rows = std::any_of(
        rows.begin(), rows.end(), [&](std::size_t i) { return uses(indices.back(), c_.stage.iterators[i]); });
    source.along_rows = source.run == 1 && moves_rows;
    return source;
  }

  /// Indices of the left operand that are moved by rows and by depth, where any of them is a window's.
  std::int64_t window_axes_of(const std::vector<Expr>& indices) const {
    const auto moves = [&](const Group& group, const Expr& index) {
      return std::any_of(group.begin(), group.end(),
                         [&](std::size_t i) { return uses(index, c_.stage.iterators[i]); });
    };
    std::int64_t axes = 0;
    bool overlaps = false;
    for (const Expr& index : indices) {
      if (!moves(c_.rows, index) || !moves(c_.depth, index)) continue;
      ++axes;
      for (const std::size_t i : c_.depth)
        overlaps = overlaps || (c_.stage.extents[i] > 1 && uses(index, c_.stage.iterators[i]));
    }
    return overlaps ? axes : 0;
  }

  /// Whether elements at so many values of the iterator, from each multiple on, follow each other in memory,
  /// the first on a multiple of as many.
  bool lie_side_by_side(const std::vector<Expr>& indices, const Buffer& buffer, std::size_t iterator,
                        std::int64_t run) const {
    const auto row = constant_int(buffer->shape.back());
    if (c_.stage.extents[iterator] % run != 0 || !row || *row % run != 0) return false;
    const Var first("first"), lane("lane");
    arith::Analyzer facts;
    facts.bind(first, {make_int(0), make_int(c_.stage.extents[iterator] / run)});
    facts.bind(lane, {make_int(0), make_int(run)});
    for (std::size_t i = 0; i < c_.stage.iterators.size(); ++i)
      if (i != iterator) facts.bind(c_.stage.iterators[i], {make_int(0), make_int(c_.stage.extents[i])});
    for (std::size_t d = 0; d < indices.size(); ++d) {
      const auto at = [&](const Expr& value) {
        return as_index(substitute(indices[d], c_.stage.iterators[iterator], value));
      };
      const Expr begin = at(first * run), step = at(first * run + lane) - begin;
      const bool is_last = d + 1 == indices.size();
      if (!facts.proves(equals(step, is_last ? Expr(lane) : make_int(0)))) return false;
      if (is_last && !facts.proves(equals(begin % make_int(run), make_int(0)))) return false;
    }
    return true;
  }

  Derivation& d_;
  Schedule& s_;
  const ConvertedContraction& given_;
  const Contraction c_;
};

std::optional<ConvertedContraction> open_contraction(const Derivation& d, const BlockRef& stage) {
  const Function& program = d.steps().program();
  const auto* phases = d.left<SumsInPhases>(stage);
  if (phases == nullptr) return contraction_of_stage(program, stage);
  auto found = contraction(program, phases->sums);
  if (!found) return std::nullopt;
  return ConvertedContraction{phases->sums, *std::move(found), phases->converter};
}

std::optional<ConvertedContraction> other_contraction(const Derivation& d, const BlockRef& stage) {
  if (d.left<ImplicitProduct>(stage) != nullptr) return std::nullopt;
  // One of matrices needs no other form.
  if (product_of_stage(d.steps().program(), stage)) return std::nullopt;
  return contraction_in_tiles(d, stage);
}

}  // namespace

std::optional<ConvertedContraction> contraction_of_stage(const Function& program, const BlockRef& stage) {
  if (auto found = contraction(program, stage))
    return ConvertedContraction{stage, *std::move(found), elementwise_consumer(program, stage)};
  for (const Path& path : all_blocks(program)) {
    const BlockRef sums{path.block().id};
    auto found = contraction(program, sums);
    if (found && elementwise_consumer(program, sums) == stage)
      return ConvertedContraction{sums, *std::move(found), stage};
  }
  return std::nullopt;
}

std::optional<ConvertedContraction> contraction_in_tiles(const Derivation& d, const BlockRef& stage) {
  auto found = open_contraction(d, stage);
  if (!found || d.is_finished(found->sums)) return std::nullopt;
  const Contraction& c = found->contraction;
  if (!d.target().gpu || !is_worth_tiles({c.extent(c.rows), c.extent(c.columns), c.extent(c.depth)}))
    return std::nullopt;
  return found;
}

void take_implicit_product(Derivation& d, const BlockRef& stage) {
  const auto found = contraction_in_tiles(d, stage);
  ensure(found.has_value(), "take_implicit_product: the stage is no sum of products");
  d.leave(stage, ImplicitSteps(d, *found).run());
}

Rule implicit_product() {
  return {.name = "implicit product",
          .doc =
              "a convolution, or another sum of products, is a product of matrices that are made where "
              "they are copied",
          .applies = [](const Derivation& d,
                        const BlockRef& stage) { return other_contraction(d, stage).has_value(); },
          .apply = take_implicit_product};
}

}  // namespace ardea::rules
