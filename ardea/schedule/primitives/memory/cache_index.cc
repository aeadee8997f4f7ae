#include "ardea/schedule/primitives/memory/cache_index.h"

#include <algorithm>
#include <unordered_set>

#include "ardea/arith/regions.h"
#include "ardea/arith/regions_linear.h"
#include "ardea/ir/equal.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/substitute.h"
#include "ardea/schedule/analysis/concurrency.h"
#include "ardea/schedule/analysis/reduction_nest.h"
#include "ardea/schedule/primitives/memory/added_blocks.h"
#include "ardea/schedule/primitives/memory/read_place.h"
#include "ardea/schedule/program/refer.h"
#include "ardea/schedule/program/scope.h"

namespace ardea::schedule {

namespace {

/// An index expression, how often it occurs, and the iterators in it.
struct Index {
  Expr value;
  std::int64_t count = 0;
  std::vector<BlockIterator> iterators = {};
};

bool takes_address(const Expr& e) {
  const auto* call = e.as<Call>();
  return call != nullptr && call->op->name == "address_of";
}

/// Whether the block writes the buffer, too: then each instance must be seen to read what is its own.
bool writes(const Block& block, const Buffer& buffer) {
  return std::any_of(block.writes->begin(), block.writes->end(),
                     [&](const BufferRegion& region) { return region.buffer->data == buffer->data; });
}

class IndexSearch {
 public:
  IndexSearch(const Function& f, const Path& path)
      : block_(path.block()), facts_(arith::facts_inside(block_, facts_for_block(f, path))) {
    for (const Var& size : shape_variables(f)) known_.push_back(size);
    for (const ardea::Parameter& parameter : f.parameters) known_.push_back(parameter.var);
    for (const BlockIterator& iterator : block_.iterators) known_.push_back(iterator.var);
  }

  std::vector<Index> run() {
    for (const Stmt& part : {block_.init, block_.body})
      if (part.defined()) visit(part);
    return std::move(found_);
  }

 private:
  /// Every load, as often as it is written: a shared node that stands in two places is one computation. What
  /// an address is taken of is not loaded.
  void visit(const Stmt& s) {
    std::unordered_set<Expr> addressed;
    visit_exprs(s, [&](const Expr& e) {
      if (takes_address(e)) visit_exprs(e, [&](const Expr& part) { addressed.insert(part); });
    });
    visit_exprs(s, [&](const Expr& e) {
      const auto* load = e.as<Load>();
      if (load != nullptr && e.type().is_scalar() && !addressed.contains(e) && !writes(block_, load->buffer))
        for (const Expr& index : load->indices) count(index);
    });
  }

  void count(const Expr& index) {
    if (!is_worth_it(index)) return;
    for (Index& known : found_)
      if (structurally_equal(known.value, index)) {
        ++known.count;
        return;
      }
    Index added{index, 1};
    for (const BlockIterator& iterator : block_.iterators)
      if (uses(index, iterator.var)) added.iterators.push_back(iterator);
    if (!added.iterators.empty()) found_.push_back(std::move(added));
  }

  /// An operation on iterators and sizes that has a value wherever the iterators are in their domains.
  bool is_worth_it(const Expr& index) const {
    if (!index.is<Binary>() || !index.type().is_int()) return false;
    bool fits = true;
    visit_exprs(index, [&](const Expr& e) {
      const auto* binary = e.as<Binary>();
      if (e.is<VarNode>())
        fits = fits && std::find(known_.begin(), known_.end(), Var(e)) != known_.end();
      else if (binary != nullptr && divides(binary->op))
        fits = fits && facts_.proves(arith::as_index(binary->right) > make_int(0));
      else
        fits = fits && (binary != nullptr || e.is<IntImm>() || e.is<Cast>());
    });
    return fits;
  }

  static bool divides(BinaryOp op) {
    return op == BinaryOp::floor_div || op == BinaryOp::floor_mod || op == BinaryOp::trunc_div ||
           op == BinaryOp::trunc_mod;
  }

  const Block& block_;
  const arith::Analyzer facts_;
  std::vector<Var> known_;
  std::vector<Index> found_;
};

/// v - min: the place of an iterator's value in a table.
Expr place_of(const BlockIterator& iterator) {
  const Expr& min = iterator.domain.min;
  return is_zero(min) ? Expr(iterator.var) : arith::as_index(iterator.var) - arith::as_index(min);
}

Buffer table_for(const Index& index, std::size_t number, const std::string& scope) {
  std::vector<Expr> shape;
  for (const BlockIterator& iterator : index.iterators)
    shape.push_back(arith::as_index(iterator.domain.extent));
  return make_buffer(fmt::format("index_{}", number), shape, index.value.type(), scope);
}

/// The block that reads the tables at its iterators.
Block reading(const Block& block, const std::vector<Index>& indices, const std::vector<Buffer>& tables) {
  const auto looked_up = [&](const Expr& index) -> Expr {
    for (std::size_t i = 0; i < indices.size(); ++i) {
      if (!structurally_equal(indices[i].value, index)) continue;
      std::vector<Expr> at;
      for (const BlockIterator& iterator : indices[i].iterators) at.push_back(place_of(iterator));
      return make_load(tables[i], at);
    }
    return index;
  };
  Rewriter rewriter;
  rewriter.expr = [](const Expr& e) { return takes_address(e) ? std::optional(e) : std::nullopt; };
  rewriter.expr_after = [&](const Expr& e) -> Expr {
    const auto* load = e.as<Load>();
    if (load == nullptr || !e.type().is_scalar() || writes(block, load->buffer)) return e;
    std::vector<Expr> at;
    for (const Expr& index : load->indices) at.push_back(looked_up(index));
    return make_load(load->buffer, at, load->predicate);
  };
  rewriter.stmt_after = [](const Stmt& s) -> Stmt {
    const auto* inner = s.as<Block>();
    if (inner == nullptr) return s;
    Block open = *inner;
    open.reads.reset();
    return open;
  };
  Block out = block;
  out.body = rewrite(block.body, rewriter);
  if (block.init.defined()) out.init = rewrite(block.init, rewriter);
  out.reads.reset();
  return with_own_lets(std::move(out));
}

Block computing(const std::string& name, const Index& index, const Buffer& table) {
  return block_over(name, table->shape, [&](const std::vector<Expr>& at) {
    Substitution values;
    for (std::size_t i = 0; i < at.size(); ++i) {
      const BlockIterator& iterator = index.iterators[i];
      const Expr& min = iterator.domain.min;
      values[iterator.var] =
          make_cast(iterator.var.type(), is_zero(min) ? at[i] : at[i] + arith::as_index(min));
    }
    return make_store(table, at, substitute(index.value, values));
  });
}

/// What is read at an index from memory may be more than the blocks around declare.
Function with_open_reads(Function f, const Path& path) {
  for (std::size_t i = 1; i + 1 < path.size(); ++i) {
    const auto* around = path[i].as<Block>();
    if (around == nullptr) continue;
    const Path outer = *path_to(f, BlockRef{around->id});
    Block open = outer.block();
    open.reads.reset();
    f = with(f, outer, open);
  }
  return f;
}

/// The outermost statement around the block in the sequence of the block around it.
Path place_before(const Path& path) {
  std::size_t depth = path.block_around().size();
  if (path[depth].is<Seq>()) ++depth;
  return path.upto(depth);
}

}  // namespace

Outcome apply(const Function& f, const CacheIndex& step, Context& context) {
  const Path path = ARDEA_TRY(refer(f, step.block));
  if (path.size() == 1) return Refusal{"root_block", "the root block has no indices"};
  ARDEA_TRY(refuse_unknown_scope(step.storage_scope));
  ARDEA_TRY(context.require(arith::facts_of(f), make_int(step.cse_thresh) >= make_int(0), [&] {
    return Refusal{"negative_threshold", fmt::format("cse_thresh is {}, must be 0 or more", step.cse_thresh)};
  }));
  std::vector<Index> indices = IndexSearch(f, path).run();
  std::erase_if(indices, [&](const Index& index) { return index.count <= step.cse_thresh; });
  if (indices.empty())
    return Refusal{
        "no_index_expression",
        fmt::format("no index of a load in block {} is an operation on its iterators that occurs more "
                    "than {} times",
                    path.block().name, step.cse_thresh)};
  std::vector<Buffer> tables;
  for (const Index& index : indices) tables.push_back(table_for(index, tables.size(), step.storage_scope));
  Function program = with(f, path, reading(path.block(), indices, tables));
  const BlockRef around{path.block_around().block().id};
  for (const Buffer& table : tables) program = with_allocation(program, around, table);
  program = arith::complete_regions(with_open_reads(std::move(program), path));
  std::vector<Reference> blocks;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const Path block = *path_to(program, step.block), place = place_before(block);
    const auto touched = read_from(program, {block.block_around(), tables[i], {block}, {}}, place, tables[i]);
    const BufferRegion box =
        without_loaded_bounds(touched ? *touched : arith::Touched{whole_region(tables[i])}).region;
    const Block table = computing(free_block_name(program, tables[i]->name), indices[i], tables[i]);
    const Stmt nest = copy_nest(program, table, box.region, place);
    program = arith::complete_regions(with(program, place, make_seq({nest, place.back()})));
    blocks.emplace_back(BlockRef{table.id});
  }
  ARDEA_TRY(context.judge(refuse_races_around(program, *path_to(program, step.block))));
  return Applied{std::move(program), std::move(blocks)};
}

}  // namespace ardea::schedule
