#include "ardea/rules/gpu/box_source.h"

#include <algorithm>

#include "ardea/arith/copied_box.h"
#include "ardea/arith/copied_window.h"
#include "ardea/ir/guarded_copy.h"
#include "ardea/ir/memory_alignment.h"
#include "ardea/ir/substitute.h"
#include "ardea/rules/gpu/group_unit.h"
#include "ardea/schedule/program/tree.h"
#include "ardea/support/ceil_div.h"

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
struct MatrixCopy {
  const Block& block;
  const GuardedCopy copy;

  const BlockIterator& rows() const { return block.iterators[block.iterators.size() - 2]; }
  const BlockIterator& columns() const { return block.iterators.back(); }
};

arith::Analyzer facts_of_iterators(const Function& program, const MatrixCopy& made) {
  arith::Analyzer facts = arith::facts_of(program);
  for (const auto& iterator : made.block.iterators) facts.bind(iterator.var, iterator.domain);
  return facts;
}

/// Whether so many columns, from some multiple of them on, are nothing but borders: simplifying finds that
/// they are 0, and no copy any more.
bool has_empty_panel(const MatrixCopy& made, std::int64_t extent, const arith::Analyzer& facts) {
  const Var& column = made.columns().var;
  const auto count = constant_int(made.columns().domain.extent);
  if (!made.copy.condition.defined() || !uses(made.copy.condition, column)) return false;
  for (std::int64_t first = 0; count && first < *count; first += extent) {
    arith::Analyzer in_panel = facts;
    in_panel.assume(make_cast(int64, column) >= make_int(first));
    in_panel.assume(make_cast(int64, column) < make_int(first + extent));
    if (in_panel.prove(made.copy.condition) == arith::Proof::refuted) return true;
  }
  return false;
}

bool is_box(const Function& program, const MatrixCopy& made) {
  const arith::Analyzer facts = facts_of_iterators(program, made);
  const Load& load = *made.copy.load;
  return arith::copied_box(load.buffer, load.indices, made.copy.condition, made.rows().var,
                           made.columns().var, facts)
             .has_value() &&
         !has_empty_panel(made, GroupUnit::depth, facts);
}

/// Of any so many rows and columns of it, from a multiple of them on: a panel of shared memory is some of
/// these, and rows beyond the last are padded.
bool are_windows(const Function& program, const MatrixCopy& made, std::int64_t extent) {
  const auto &rows = made.rows(), &columns = made.columns();
  const auto row_count = constant_int(rows.domain.extent), column_count = constant_int(columns.domain.extent);
  if (!row_count || !column_count || *column_count % extent != 0) return false;
  const Var row_tile("rows"), column_tile("columns"), row("row"), column("column");
  arith::Analyzer facts = arith::facts_of(program);
  for (std::size_t i = 0; i + 2 < made.block.iterators.size(); ++i)
    facts.bind(made.block.iterators[i].var, made.block.iterators[i].domain);
  facts.bind(row_tile, {make_int(0), make_int(ceil_div(*row_count, extent))});
  facts.bind(column_tile, {make_int(0), make_int(*column_count / extent)});
  for (const Var& var : {row, column}) facts.bind(var, {make_int(0), make_int(extent)});
  const Expr of_all = row_tile * extent + row;
  const Substitution in_panels = {
      {rows.var, make_cast(rows.var.type(), of_all)},
      {columns.var, make_cast(columns.var.type(), column_tile * extent + column)}};
  const Load& load = *made.copy.load;
  std::vector<Expr> indices;
  for (const Expr& index : load.indices) indices.push_back(substitute(index, in_panels));
  Expr condition = made.copy.condition.defined() ? substitute(made.copy.condition, in_panels) : Expr();
  if (*row_count % extent != 0) {
    const Expr is_row = of_all < make_int(*row_count);
    condition = condition.defined() ? logical_and(is_row, condition) : is_row;
  }
  return arith::copied_window(load.buffer, indices, condition, row, column, facts) &&
         !has_empty_panel(made, extent, facts_of_iterators(program, made));
}

}  // namespace

UnitSource unit_source(const Derivation& d, const OpenProduct& given, bool is_left) {
  if (!has_box_engine(d.target())) return UnitSource::none;
  const Function& program = d.steps().program();
  if (!given.is_implicit) {
    const MatrixProduct& product = given.product.product.product;
    const Buffer& array = is_left ? product.left : product.right;
    return array->scope == "global" && is_read_by_unit(program, array) ? UnitSource::boxes : UnitSource::none;
  }
  const Block& block = path_to(program, is_left ? given.product.left : given.product.right)->block();
  const Store* store = only_store(block);
  const auto copy = store == nullptr ? std::nullopt : guarded_copy(store->value);
  if (!copy || block.iterators.size() < 2 || copy->load->buffer->scope != "global" ||
      !is_read_by_unit(program, copy->load->buffer))
    return UnitSource::none;
  const MatrixCopy made{block, *copy};
  if (is_box(program, made)) return UnitSource::boxes;
  return is_left && are_windows(program, made, GroupUnit::depth) ? UnitSource::windows : UnitSource::none;
}

}  // namespace ardea::rules
