#include "ardea/rules/analysis/matrix_product.h"

#include <algorithm>

#include "ardea/rules/analysis/stage.h"
#include "ardea/schedule/program/tree.h"

namespace ardea::rules {

namespace {

/// The iterators that the indices are, one each; nothing where one is more than an iterator.
std::optional<std::vector<Var>> plain(const std::vector<Expr>& indices) {
  std::vector<Var> all;
  for (const Expr& index : indices) {
    if (!index.is<VarNode>()) return std::nullopt;
    all.emplace_back(index);
  }
  return all;
}

}  // namespace

std::optional<MatrixProduct> matrix_product(const Function& program, const schedule::BlockRef& ref,
                                            Lengths lengths) {
  const auto path = schedule::path_to(program, ref);
  if (!path) return std::nullopt;
  const Block& block = path->block();
  const auto extents = loop_lengths(*path, lengths);
  const auto* store = block.body.as<Store>();
  if (!extents || store == nullptr || !block.init.defined() || block.predicate.defined()) return std::nullopt;
  const auto added = added_term(block);
  const auto* term = added ? added->as<Binary>() : nullptr;
  if (term == nullptr || term->op != BinaryOp::mul) return std::nullopt;
  const Load *left = load_under_casts(term->left), *right = load_under_casts(term->right);
  if (left == nullptr || right == nullptr) return std::nullopt;
  const auto of_out = plain(store->indices), of_left = plain(left->indices), of_right = plain(right->indices);
  if (!of_out || !of_left || !of_right) return std::nullopt;

  std::vector<Var> iterators;
  for (const BlockIterator& iterator : block.iterators) iterators.push_back(iterator.var);
  if (iterators.size() < 3 || block.iterators.back().kind != IteratorKind::reduce) return std::nullopt;
  const std::size_t batches = iterators.size() - 3;
  for (std::size_t i = 0; i + 1 < iterators.size(); ++i)
    if (block.iterators[i].kind != IteratorKind::spatial) return std::nullopt;
  const Var m = iterators[batches], n = iterators[batches + 1], k = iterators[batches + 2];
  const auto with_batches = [&](const Var& a, const Var& b) {
    std::vector<Var> all(iterators.begin(), iterators.begin() + static_cast<std::ptrdiff_t>(batches));
    all.push_back(a);
    all.push_back(b);
    return all;
  };
  const bool transposed = *of_right == with_batches(n, k);
  if (*of_out != with_batches(m, n) || *of_left != with_batches(m, k) ||
      (!transposed && *of_right != with_batches(k, n)))
    return std::nullopt;
  MatrixProduct found;
  found.out = store->buffer;
  found.left = left->buffer;
  found.right = right->buffer;
  found.m = (*extents)[batches];
  found.n = (*extents)[batches + 1];
  found.k = (*extents)[batches + 2];
  found.sizes = {typical(found.m), typical(found.n), typical(found.k)};
  found.batches = batches;
  found.transposed = transposed;
  return found;
}

}  // namespace ardea::rules
