#include "ardea/rules/gpu/box_source.h"

#include <algorithm>

#include "ardea/arith/copied_box.h"
#include "ardea/ir/guarded_copy.h"
#include "ardea/ir/memory_alignment.h"
#include "ardea/schedule/program/tree.h"

namespace ardea::rules {

namespace {

using namespace schedule;

/// A unit of GPUs reads arrays from there on, and rows that are as far apart.
constexpr std::int64_t source_bytes = 16;

bool has_box_engine(const target::Target& target) {
  if (!target.gpu) return false;
  return std::any_of(target.gpu->copy_engines.begin(), target.gpu->copy_engines.end(),
                     [](const target::CopyEngine& engine) { return engine.name == "bulk_tensor"; });
}

/// Of the memory that all boxes are of.
bool is_read_by_unit(const Function& program, const Buffer& array) {
  const auto columns = constant_int(array->shape.back());
  const auto alignments = memory_alignments(program);
  const auto begin = alignments.find(array->data);
  std::int64_t rows = 1;
  for (std::size_t d = 0; d + 1 < array->shape.size(); ++d) {
    const auto extent = constant_int(array->shape[d]);
    if (!extent || *extent < 1 || rows > most_counted_by_unit / *extent) return false;
    rows *= *extent;
  }
  return columns && *columns <= most_counted_by_unit && array->type.bytes(*columns) % source_bytes == 0 &&
         begin != alignments.end() && begin->second % source_bytes == 0;
}

/// What fills the matrix, seen as it will be copied: rows and columns of it, batch by batch.
bool is_filled_by_boxes(const Function& program, const BlockRef& maker) {
  const Block& block = path_to(program, maker)->block();
  const Store* store = only_store(block);
  const auto copy = store == nullptr ? std::nullopt : guarded_copy(store->value);
  if (!copy || block.iterators.size() < 2) return false;
  arith::Analyzer facts = arith::facts_of(program);
  for (const auto& iterator : block.iterators) facts.bind(iterator.var, iterator.domain);
  const Var &row = block.iterators[block.iterators.size() - 2].var, &column = block.iterators.back().var;
  return copy->load->buffer->scope == "global" && is_read_by_unit(program, copy->load->buffer) &&
         arith::copied_box(copy->load->buffer, copy->load->indices, copy->condition, row, column, facts)
             .has_value();
}

}  // namespace

bool is_box_source(const Derivation& d, const OpenProduct& given, bool is_left) {
  if (!has_box_engine(d.target())) return false;
  const Function& program = d.steps().program();
  if (given.is_implicit)
    return is_filled_by_boxes(program, is_left ? given.product.left : given.product.right);
  const MatrixProduct& product = given.product.product.product;
  const Buffer& array = is_left ? product.left : product.right;
  return array->scope == "global" && is_read_by_unit(program, array);
}

}  // namespace ardea::rules
