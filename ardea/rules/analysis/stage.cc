#include "ardea/rules/analysis/stage.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "ardea/ir/equal.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/traverse.h"
#include "ardea/schedule/program/tree.h"

namespace ardea::rules {

namespace {

std::int64_t product_of(const std::vector<std::int64_t>& extents, std::size_t from, std::size_t to) {
  return std::accumulate(extents.begin() + static_cast<std::ptrdiff_t>(from),
                         extents.begin() + static_cast<std::ptrdiff_t>(to), std::int64_t{1},
                         std::multiplies<>());
}

bool has_region_of(const std::optional<std::vector<BufferRegion>>& regions, const Buffer& buffer) {
  return regions && std::any_of(regions->begin(), regions->end(),
                                [&](const BufferRegion& r) { return r.buffer == buffer; });
}

std::vector<Load> loads_beside(const Store& store) {
  std::vector<Load> loads;
  visit_exprs(store.value, [&](const Expr& e) {
    const auto* load = e.as<Load>();
    if (load != nullptr && load->buffer != store.buffer) loads.push_back(*load);
  });
  return loads;
}

/// What an array of the buffer takes, of a typical one where only a call knows its sizes.
std::int64_t bytes_of(const Buffer& buffer) {
  std::int64_t elements = 1;
  for (const Expr& extent : buffer->shape) elements *= typical(extent);
  return elements * buffer->type.bytes();
}

}  // namespace

std::int64_t Stage::elements() const { return product_of(extents, 0, spatial); }
std::int64_t Stage::steps() const { return product_of(extents, spatial, extents.size()); }

bool is_parameter(const Function& program, const Buffer& buffer) {
  return std::any_of(program.parameters.begin(), program.parameters.end(),
                     [&](const Parameter& p) { return p.buffer == buffer; });
}

bool is_spatial(const Block& block) {
  return std::all_of(block.iterators.begin(), block.iterators.end(),
                     [](const BlockIterator& i) { return i.kind == IteratorKind::spatial; });
}

bool reads(const Block& block, const Buffer& buffer) { return has_region_of(block.reads, buffer); }
bool writes(const Block& block, const Buffer& buffer) { return has_region_of(block.writes, buffer); }

std::int64_t typical(const Expr& length) { return constant_int(length).value_or(typical_length); }

bool are_one_length(const Expr& a, const Expr& b) {
  const auto number = constant_int(a);
  return number ? number == constant_int(b) : structurally_equal(a, b);
}

std::optional<std::vector<Expr>> loop_lengths(const schedule::Path& path, Lengths lengths) {
  const Block& block = path.block();
  const std::vector<schedule::LoopRef> loops = path.loops();
  if (loops.size() != block.iterators.size()) return std::nullopt;
  std::vector<Expr> all;
  for (std::size_t i = 0; i < loops.size(); ++i) {
    const BlockIterator& iterator = block.iterators[i];
    const Expr& extent = iterator.domain.extent;
    const bool is_taken = constant_int(extent) || (lengths == Lengths::any && extent.is<VarNode>());
    if (!is_taken || constant_int(iterator.domain.min) != 0 || !iterator.binding.is<VarNode>() ||
        Var(iterator.binding) != loops[i].var)
      return std::nullopt;
    all.push_back(extent);
  }
  return all;
}

std::optional<Stage> plain_stage(const Function& program, const schedule::BlockRef& ref, Lengths lengths) {
  const auto path = schedule::path_to(program, ref);
  if (!path) return std::nullopt;
  const Block& block = path->block();
  const auto found = loop_lengths(*path, lengths);
  const auto* store = block.body.as<Store>();
  if (!found || found->empty() || store == nullptr || block.predicate.defined()) return std::nullopt;
  Stage stage{.block = ref, .lengths = *found, .out = store->buffer, .indices = store->indices};
  for (const Expr& length : *found) stage.extents.push_back(typical(length));
  for (const BlockIterator& iterator : block.iterators) {
    const bool makes_elements = iterator.kind == IteratorKind::spatial;
    if (!makes_elements && iterator.kind != IteratorKind::reduce) return std::nullopt;
    if (makes_elements && stage.spatial < stage.iterators.size()) return std::nullopt;
    stage.iterators.push_back(iterator.var);
    if (makes_elements) ++stage.spatial;
  }
  if (stage.reduces() != block.init.defined()) return std::nullopt;
  stage.loads = loads_beside(*store);
  return stage;
}

bool makes_choices(const Function& program, const Stage& stage) {
  bool found = false;
  visit_exprs(schedule::path_to(program, stage.block)->block().body.as<Store>()->value,
              [&](const Expr& e) { found = found || e.is<Select>(); });
  return found;
}

bool computes_functions(const Function& program, const schedule::BlockRef& block) {
  bool found = false;
  visit_exprs(schedule::path_to(program, block)->block().body, [&](const Expr& e) {
    const auto* call = e.as<Call>();
    found = found || (call != nullptr && e.type().is_float() && call->op->name != "if_then_else");
  });
  return found;
}

const Load* load_under_casts(const Expr& e) {
  if (const auto* cast = e.as<Cast>()) return load_under_casts(cast->value);
  return e.as<Load>();
}

AskedValue asked_value(const Expr& e) {
  const auto* choice = e.as<Call>();
  const bool asks =
      choice != nullptr && choice->op == find_intrinsic("if_then_else") && is_zero(choice->arguments[2]);
  return asks ? AskedValue{choice->arguments[1], choice->arguments[0]} : AskedValue{e};
}

AskedValue asked_under_casts(const Expr& e) {
  if (const auto* cast = e.as<Cast>()) return asked_under_casts(cast->value);
  return asked_value(e);
}

const Store* only_store(const Block& block) {
  const auto* asked = block.body.as<If>();
  if (asked != nullptr && !asked->else_case.defined()) return asked->then_case.as<Store>();
  return block.body.as<Store>();
}

std::optional<Expr> added_term(const Block& block) {
  const auto* store = block.body.as<Store>();
  const auto* sum = store == nullptr ? nullptr : store->value.as<Binary>();
  if (sum == nullptr || sum->op != BinaryOp::add) return std::nullopt;
  const auto* before = sum->left.as<Load>();
  const bool is_same = before != nullptr && before->buffer == store->buffer &&
                       std::equal(before->indices.begin(), before->indices.end(), store->indices.begin(),
                                  store->indices.end(), [](const Expr& a, const Expr& b) {
                                    return a.is<VarNode>() && b.is<VarNode>() && Var(a) == Var(b);
                                  });
  return is_same ? std::optional(sum->right) : std::nullopt;
}

bool are_plain(const std::vector<Expr>& indices, const std::vector<Var>& variables) {
  return std::equal(indices.begin(), indices.end(), variables.begin(), variables.end(),
                    [](const Expr& index, const Var& v) { return index.is<VarNode>() && Var(index) == v; });
}

std::int64_t bytes_around(const Function& program, const std::vector<schedule::BlockRef>& stages) {
  const auto is_one = [&](const Block& block) {
    return std::find(stages.begin(), stages.end(), schedule::BlockRef{block.id}) != stages.end();
  };
  std::vector<Buffer> inside, outside;
  for (const schedule::Path& path : schedule::all_blocks(program))
    for (const auto* regions : {&path.block().reads, &path.block().writes})
      if (*regions)
        for (const BufferRegion& region : **regions)
          (is_one(path.block()) ? inside : outside).push_back(region.buffer);
  const auto has = [](const std::vector<Buffer>& all, const Buffer& buffer) {
    return std::find(all.begin(), all.end(), buffer) != all.end();
  };
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < inside.size(); ++i) {
    const bool is_first =
        std::find(inside.begin(), inside.end(), inside[i]) - inside.begin() == static_cast<std::ptrdiff_t>(i);
    if (is_first && (is_parameter(program, inside[i]) || has(outside, inside[i])))
      bytes += bytes_of(inside[i]);
  }
  return bytes;
}

}  // namespace ardea::rules
