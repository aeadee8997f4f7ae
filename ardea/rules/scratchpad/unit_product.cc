#include "ardea/rules/scratchpad/unit_product.h"

#include <algorithm>

#include "ardea/ir/substitute.h"
#include "ardea/rules/analysis/epilogue.h"
#include "ardea/schedule/program/tree.h"
#include "ardea/support/ceil_div.h"

namespace ardea::rules {

using schedule::BlockRef;

namespace {

const Load* load_under_casts(const Expr& e) {
  if (const auto* cast = e.as<Cast>()) return load_under_casts(cast->value);
  return e.as<Load>();
}

bool occurs(const std::vector<Expr>& indices, const Var& v) {
  return std::any_of(indices.begin(), indices.end(), [&](const Expr& index) {
    const std::vector<Var> used = free_variables(index);
    return std::find(used.begin(), used.end(), v) != used.end();
  });
}

/// The two factors of what is added to an element.
std::optional<std::pair<Load, Load>> factors_of(const Block& block) {
  const auto* store = block.body.as<Store>();
  const auto* sum = store->value.as<Binary>();
  const auto* before = sum != nullptr && sum->op == BinaryOp::add ? sum->left.as<Load>() : nullptr;
  const auto* term = before != nullptr ? sum->right.as<Binary>() : nullptr;
  if (term == nullptr || term->op != BinaryOp::mul || before->buffer != store->buffer) return std::nullopt;
  const Load *left = load_under_casts(term->left), *right = load_under_casts(term->right);
  if (left == nullptr || right == nullptr || left->buffer == right->buffer) return std::nullopt;
  return std::pair(*left, *right);
}

std::optional<std::int64_t> read_place(const Block& block, const Buffer& buffer) {
  if (!block.reads) return std::nullopt;
  for (std::size_t i = 0; i < block.reads->size(); ++i)
    if ((*block.reads)[i].buffer == buffer) return static_cast<std::int64_t>(i);
  return std::nullopt;
}

/// Finds the iterators that are the unit's axes, the last of each kind: it lies nearest in memory.
class UnitAxes {
 public:
  UnitAxes(const Stage& stage, const Load& left, const Load& right)
      : stage_(stage), left_(left), right_(right) {}

  std::optional<UnitProduct> run(const MatrixUnit& unit) const {
    const auto column = last([&](std::size_t i) {
      return is_spatial(i) && is_alone(stage_.indices, i) && is_alone(right_.indices, i) && !is_in(left_, i);
    });
    const auto depth = last([&](std::size_t i) {
      return !is_spatial(i) && is_alone(left_.indices, i) && is_alone(right_.indices, i);
    });
    if (!column || !depth) return std::nullopt;
    UnitProduct product{.sums = stage_.block, .stage = stage_, .left = left_, .right = right_};
    product.column = *column;
    product.depth = *depth;
    if (unit.extent(UnitAxis::row) > 1) {
      product.row = last([&](std::size_t i) {
        return is_spatial(i) && is_alone(stage_.indices, i) && is_alone(left_.indices, i) &&
               !is_in(right_, i);
      });
      if (!product.row) return std::nullopt;
    }
    return product;
  }

 private:
  template <class Condition>
  std::optional<std::size_t> last(const Condition& holds) const {
    for (std::size_t i = stage_.iterators.size(); i-- > 0;)
      if (holds(i)) return i;
    return std::nullopt;
  }
  bool is_spatial(std::size_t i) const { return i < stage_.spatial; }
  bool is_in(const Load& load, std::size_t i) const { return occurs(load.indices, stage_.iterators[i]); }
  bool is_alone(const std::vector<Expr>& indices, std::size_t i) const {
    return plain_dimension(indices, stage_.iterators[i]).has_value();
  }

  const Stage& stage_;
  const Load &left_, &right_;
};

/// Whether all that must be padded is indexed by iterators alone, as pad_einsum asks for.
bool can_be_padded(const UnitProduct& product, const MatrixUnit& unit) {
  const auto are_iterators = [](const std::vector<Expr>& indices) {
    return std::all_of(indices.begin(), indices.end(), [](const Expr& index) { return index.is<VarNode>(); });
  };
  for (std::size_t i = 0; i < product.stage.iterators.size(); ++i)
    if (product.padded(unit, i) != product.stage.extents[i])
      return are_iterators(product.stage.indices) && are_iterators(product.left.indices) &&
             are_iterators(product.right.indices);
  return true;
}

std::optional<UnitProduct> product_at(const Function& program, const BlockRef& block,
                                      const MatrixUnit& unit) {
  const auto stage = plain_stage(program, block);
  if (!stage || !stage->reduces() || stage->out->type != unit.sums.type) return std::nullopt;
  const Block& body = schedule::path_to(program, block)->block();
  const auto factors = factors_of(body);
  if (!factors) return std::nullopt;
  for (const auto& [left, right] : {*factors, std::pair(factors->second, factors->first)}) {
    if (left.buffer->type != unit.left.type || right.buffer->type != unit.right.type) continue;
    auto product = UnitAxes(*stage, left, right).run(unit);
    const auto left_read = read_place(body, left.buffer), right_read = read_place(body, right.buffer);
    if (!product || !left_read || !right_read || !can_be_padded(*product, unit)) continue;
    product->left_read = *left_read;
    product->right_read = *right_read;
    return product;
  }
  return std::nullopt;
}

/// Whether the block does nothing but take one element to another type.
bool is_conversion(const Function& program, const BlockRef& block) {
  const auto* store = schedule::path_to(program, block)->block().body.as<Store>();
  const auto* cast = store == nullptr ? nullptr : store->value.as<Cast>();
  return cast != nullptr && cast->value.is<Load>();
}

/// Whether the machine's tiles of sums are whole pieces of the buffer as it lies, without padding.
bool lies_in_tiles(const UnitProduct& product, const MatrixUnit& unit) {
  if (unit.sums.axes.size() != 1) return false;
  const std::size_t i = product.iterator(unit.sums.axes[0]);
  return plain_dimension(product.stage.indices, product.stage.iterators[i]) ==
             product.stage.indices.size() - 1 &&
         product.padded(unit, i) == product.stage.extents[i];
}

}  // namespace

std::optional<std::size_t> plain_dimension(const std::vector<Expr>& indices, const Var& iterator) {
  std::optional<std::size_t> found;
  for (std::size_t d = 0; d < indices.size(); ++d) {
    if (!occurs({indices[d]}, iterator)) continue;
    if (found || !indices[d].is<VarNode>()) return std::nullopt;
    found = d;
  }
  return found;
}

std::size_t UnitProduct::iterator(UnitAxis axis) const {
  if (axis == UnitAxis::row) return *row;
  return axis == UnitAxis::column ? column : depth;
}

std::int64_t UnitProduct::taken(const MatrixUnit& unit, std::size_t i) const {
  if (i == column) return unit.extent(UnitAxis::column);
  if (i == depth) return unit.extent(UnitAxis::depth);
  return i == row ? unit.extent(UnitAxis::row) : 1;
}

std::int64_t UnitProduct::padded(const MatrixUnit& unit, std::size_t i) const {
  return round_up(stage.extents[i], taken(unit, i));
}

std::vector<std::size_t> UnitProduct::rows() const {
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < stage.spatial; ++i)
    if (i != column) all.push_back(i);
  return all;
}

std::vector<std::size_t> UnitProduct::taps() const {
  std::vector<std::size_t> all;
  for (std::size_t i = stage.spatial; i < stage.iterators.size(); ++i)
    if (i != depth) all.push_back(i);
  return all;
}

std::optional<UnitProduct> unit_product(const Function& program, const BlockRef& stage,
                                        const MatrixUnit& unit) {
  if (auto product = product_at(program, stage, unit)) {
    if (unit.store(product->stage.out->type) == nullptr) return std::nullopt;
    return product;
  }
  const auto result = plain_stage(program, stage);
  if (!result || !is_conversion(program, stage) || unit.store(result->out->type) == nullptr)
    return std::nullopt;
  for (const schedule::Path& path : schedule::all_blocks(program)) {
    const BlockRef sums{path.block().id};
    if (elementwise_consumer(program, sums) != stage) continue;
    auto product = product_at(program, sums, unit);
    if (!product || !lies_in_tiles(*product, unit)) continue;
    product->narrowed = stage;
    return product;
  }
  return std::nullopt;
}

}  // namespace ardea::rules
