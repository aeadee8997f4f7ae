#include "ardea/rules/analysis/row_chain.h"

#include <algorithm>

#include "ardea/ir/substitute.h"
#include "ardea/schedule/program/tree.h"

namespace ardea::rules {

namespace {

bool has(const std::vector<Buffer>& all, const Buffer& buffer) {
  return std::find(all.begin(), all.end(), buffer) != all.end();
}

/// From the last product backwards: what makes the rows that are needed.
class ChainSearch {
 public:
  ChainSearch(const Function& program, const schedule::BlockRef& last) : program_(program) {
    chain_.last_sums = last;
  }

  std::optional<RowChain> run() && {
    const auto last = matrix_product(program_, chain_.last_sums);
    if (!last) return std::nullopt;
    chain_.last = *last;
    chain_.axes = last->batches + 1;
    inside_ = {last->left};
    std::vector<schedule::Path> blocks = schedule::all_blocks(program_);
    std::reverse(blocks.begin(), blocks.end());
    bool is_before = false;
    for (const schedule::Path& path : blocks) {
      const schedule::BlockRef block{path.block().id};
      if (is_before && makes_needed(path.block()) && !take(block)) return std::nullopt;
      is_before = is_before || block == chain_.last_sums;
    }
    std::reverse(chain_.between.begin(), chain_.between.end());
    if (!has_first_ || !is_closed()) return std::nullopt;
    return std::move(chain_);
  }

 private:
  bool makes_needed(const Block& block) const {
    return std::any_of(inside_.begin(), inside_.end(),
                       [&](const Buffer& buffer) { return writes(block, buffer); });
  }

  bool take(const schedule::BlockRef& block) {
    if (auto product = matrix_product(program_, block)) return take_first(block, std::move(*product));
    const auto stage = plain_stage(program_, block);
    if (!stage || !has_form(*stage)) return false;
    for (const Load& load : stage->loads)
      if (!take(load, *stage)) return false;
    chain_.between.push_back(*stage);
    return true;
  }

  bool take_first(const schedule::BlockRef& block, MatrixProduct product) {
    // Its rows are those of the last one, along which that sums.
    const bool fits = !has_first_ && product.batches + 1 == chain_.axes && product.sizes.m == chain_.rows() &&
                      product.sizes.n == chain_.row_length() && batches_are_those_of(product);
    has_first_ = true;
    chain_.first = std::move(product);
    chain_.first_sums = block;
    return fits && !has(inside_, chain_.first.left) && !has(inside_, chain_.first.right);
  }

  bool batches_are_those_of(const MatrixProduct& product) const {
    for (std::size_t i = 0; i + 1 < chain_.axes; ++i)
      if (!are_one_length(product.out->shape[i], chain_.last.out->shape[i])) return false;
    return true;
  }

  /// Rows, or a number of each row: one made of the other rows' numbers at most.
  bool has_form(const Stage& stage) const {
    const std::size_t loops = stage.extents.size();
    if (loops < chain_.axes || loops > chain_.axes + 1 || stage.spatial < chain_.axes ||
        stage.out->type != chain_.last.out->type)
      return false;
    for (std::size_t i = 0; i + 1 < chain_.axes; ++i)
      if (!are_one_length(stage.lengths[i], chain_.last.out->shape[i])) return false;
    if (stage.extents[chain_.axes - 1] != chain_.rows()) return false;
    if (loops > chain_.axes && stage.extents.back() != chain_.row_length()) return false;
    return are_plain(stage.indices, iterators_of(stage, stage.spatial));
  }

  static std::vector<Var> iterators_of(const Stage& stage, std::size_t count) {
    return {stage.iterators.begin(), stage.iterators.begin() + static_cast<std::ptrdiff_t>(count)};
  }

  /// What is made of the same row belongs to the chain. All else must be one for all rows: vectors go along
  /// them.
  bool take(const Load& load, const Stage& stage) {
    const std::size_t rank = load.indices.size();
    const bool is_of_row = rank >= chain_.axes && rank <= stage.iterators.size() &&
                           are_plain(load.indices, iterators_of(stage, rank));
    if (is_of_row && !is_parameter(program_, load.buffer)) {
      if (!has(inside_, load.buffer)) inside_.push_back(load.buffer);
      return true;
    }
    const Var& row = stage.iterators[chain_.axes - 1];
    return !has(inside_, load.buffer) && std::none_of(load.indices.begin(), load.indices.end(),
                                                      [&](const Expr& index) { return uses(index, row); });
  }

  /// Whether all that lies inside is made in the chain, once, and read nowhere else.
  bool is_closed() const {
    const auto is_one = [&](const Block& block) {
      return block.id == chain_.first_sums.id || block.id == chain_.last_sums.id ||
             std::any_of(chain_.between.begin(), chain_.between.end(),
                         [&](const Stage& stage) { return stage.block.id == block.id; });
    };
    for (const Buffer& buffer : inside_) {
      if (is_parameter(program_, buffer)) return false;
      int makers = 0;
      for (const schedule::Path& path : schedule::all_blocks(program_)) {
        const bool makes = writes(path.block(), buffer);
        if ((makes || reads(path.block(), buffer)) && !is_one(path.block())) return false;
        makers += makes ? 1 : 0;
      }
      if (makers != 1) return false;
    }
    return has(inside_, chain_.first.out) && !has(inside_, chain_.last.out) &&
           !has(inside_, chain_.last.right);
  }

  const Function& program_;
  RowChain chain_;
  std::vector<Buffer> inside_;  ///< what lies between the products
  bool has_first_ = false;
};

}  // namespace

std::optional<RowChain> row_chain_to(const Function& program, const schedule::BlockRef& last) {
  return ChainSearch(program, last).run();
}

}  // namespace ardea::rules
