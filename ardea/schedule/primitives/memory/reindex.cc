#include "ardea/schedule/primitives/memory/reindex.h"

#include <algorithm>
#include <map>

#include "ardea/arith/regions.h"
#include "ardea/arith/regions_linear.h"
#include "ardea/ir/equal.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/print.h"
#include "ardea/ir/substitute.h"
#include "ardea/schedule/analysis/concurrency.h"
#include "ardea/schedule/analysis/inverse_index.h"
#include "ardea/schedule/analysis/reduction_nest.h"
#include "ardea/schedule/primitives/memory/added_blocks.h"
#include "ardea/schedule/primitives/memory/copy_block.h"
#include "ardea/schedule/primitives/memory/held_values.h"
#include "ardea/schedule/primitives/memory/read_place.h"
#include "ardea/schedule/primitives/memory/write_place.h"
#include "ardea/schedule/program/both_hold.h"
#include "ardea/schedule/program/refer.h"
#include "ardea/schedule/program/scope.h"

namespace ardea::schedule {

namespace {

/// How the block uses the buffer: always at these indices.
struct Pattern {
  std::vector<Expr> indices;
  Expr condition = {};  ///< that the copy asks in the block's place; empty where it does not
  Stmt body = {};       ///< of the block, where it asks no more
  bool reads = false, writes = false;
};

/// What is loaded, of whatever type it is made.
bool is_load_of(const Expr& e, const Buffer& buffer) {
  if (const auto* cast = e.as<Cast>()) return is_load_of(cast->value, buffer);
  const auto* load = e.as<Load>();
  return load != nullptr && load->buffer == buffer;
}

/// Takes the questions before a read of the buffer out of a block: the read then finds 0 where an answer is
/// no, and so does what it is multiplied with. 0 · 0 is 0 whatever the other factor would have been there.
class AskedRead {
 public:
  explicit AskedRead(Buffer buffer) : buffer_(std::move(buffer)) {}

  /// The statement without the questions; nothing where there are none, or several reads.
  std::optional<Stmt> without(const Stmt& body) {
    Rewriter rewriter;
    rewriter.expr_after = [&](const Expr& e) { return unasked(e); };
    const Stmt out = rewrite(body, rewriter);
    int reads = 0;
    visit_exprs(body, [&](const Expr& e) {
      const auto* load = e.as<Load>();
      if (load != nullptr && load->buffer == buffer_) ++reads;
    });
    return condition_.defined() && reads == 1 ? std::optional(out) : std::nullopt;
  }

  const Expr& condition() const { return condition_; }

 private:
  Expr unasked(const Expr& e) {
    const auto* choice = e.as<Call>();
    if (choice == nullptr || choice->op != find_intrinsic("if_then_else") || !is_zero(choice->arguments[2]))
      return e;
    const Expr &condition = choice->arguments[0], &value = choice->arguments[1];
    const auto asked = [&](const Expr& factor) {
      return chosen_value(condition, factor, make_const(0, factor.type()));
    };
    const auto* product = value.as<Binary>();
    const bool multiplies = product != nullptr && product->op == BinaryOp::mul;
    Expr without;
    if (is_load_of(value, buffer_))
      without = value;
    else if (multiplies && is_load_of(product->left, buffer_))
      without = product->left * asked(product->right);
    else if (multiplies && is_load_of(product->right, buffer_))
      without = asked(product->left) * product->right;
    else
      return e;
    condition_ = both_hold(condition, condition_);  // the inner ones may need what the outer ones say
    return without;
  }

  const Buffer buffer_;
  Expr condition_;
};

class PatternSearch {
 public:
  PatternSearch(const Path& path, const Buffer& buffer)
      : path_(path), block_(path.block()), buffer_(buffer) {}

  Result<Pattern> run() {
    for (const Stmt& part : {block_.init, block_.body}) {
      if (!part.defined()) continue;
      visit_exprs(part, [&](const Expr& e) {
        const auto* load = e.as<Load>();
        if (load == nullptr || !(load->buffer == buffer_)) return;
        pattern_.reads = true;
        meet(load->indices, load->predicate, e.type());
      });
      visit_stmts(part, [&](const Stmt& s) {
        const auto* store = s.as<Store>();
        if (store == nullptr || !(store->buffer == buffer_)) return;
        pattern_.writes = true;
        meet(store->indices, store->predicate, store->value.type());
      });
    }
    if (refusal_) return *std::move(refusal_);
    if (!pattern_.reads && !pattern_.writes)
      return Refusal{"no_such_buffer",
                     fmt::format("block {} declares {}, but does not use it", block_.name, buffer_->name)};
    return std::move(pattern_);
  }

  /// The same with the questions before the only read.
  Result<Pattern> run_with_condition() {
    Pattern pattern = ARDEA_TRY(run());
    AskedRead read(buffer_);
    const auto body = read.without(block_.body);
    if (pattern.writes || !body || !only_iterators({read.condition()}))
      return Refusal{"no_condition",
                     fmt::format("block {} does not read {} once, as if_then_else(c, {}[…], 0) or "
                                 "if_then_else(c, {}[…] * …, 0) with a condition of its iterators",
                                 block_.name, buffer_->name, buffer_->name, buffer_->name)};
    pattern.condition = read.condition();
    pattern.body = *body;
    return pattern;
  }

 private:
  void meet(const std::vector<Expr>& indices, const Expr& predicate, DataType type) {
    if (refusal_) return;
    const auto one = make_load(buffer_, indices, predicate);
    if (predicate.defined() || type.lanes != 1 || !only_iterators(indices)) {
      refusal_ = Refusal{"index_not_of_iterators",
                         fmt::format("the indices of {} are no functions of the iterators of block {} alone",
                                     print(one), block_.name)};
      return;
    }
    if (pattern_.indices.empty()) pattern_.indices = indices;
    if (structurally_equal(make_load(buffer_, pattern_.indices), one)) return;
    refusal_ =
        Refusal{"several_patterns", fmt::format("block {} uses both {} and {}", block_.name,
                                                print(make_load(buffer_, pattern_.indices)), print(one))};
  }

  /// Iterators and sizes: what is the same wherever the block stands.
  bool only_iterators(const std::vector<Expr>& indices) const {
    for (const Expr& index : indices) {
      bool loads = false;
      visit_exprs(index,
                  [&](const Expr& e) { loads = loads || e.is<Load>() || e.is<Call>() || e.is<Let>(); });
      if (loads) return false;
      for (const Var& var : free_variables(index))
        if (is_defined_inside(var) || is_defined_between(var)) return false;
    }
    return true;
  }

  /// By a let between the block and the one around it, which the copy may stand outside of.
  bool is_defined_between(const Var& var) const {
    const auto first = path_.begin() + std::ssize(path_.block_around());
    return std::any_of(first, path_.end(), [&](const Stmt& s) {
      const auto* let = s.as<LetStmt>();
      return let != nullptr && let->var == var;
    });
  }

  bool is_defined_inside(const Var& var) const {
    bool found = false;
    for (const Stmt& part : {block_.init, block_.body})
      if (part.defined())
        visit_stmts(part, [&](const Stmt& s) {
          if (const auto* loop = s.as<For>()) found = found || loop->var == var;
          if (const auto* let = s.as<LetStmt>()) found = found || let->var == var;
          if (const auto* inner = s.as<Block>())
            for (const BlockIterator& iterator : inner->iterators) found = found || iterator.var == var;
        });
    return found;
  }

  const Path& path_;
  const Block& block_;
  const Buffer& buffer_;
  Pattern pattern_;
  std::optional<Refusal> refusal_;
};

class Reindexing {
 public:
  Reindexing(const Function& f, const Path& path, const Buffer& buffer, Pattern pattern,
             const std::vector<std::size_t>& keep, Context& context)
      : f_(f),
        path_(path),
        block_(path.block()),
        buffer_(buffer),
        pattern_(std::move(pattern)),
        context_(context) {
    std::vector<Expr> shape;
    for (const BlockIterator& iterator : block_.iterators) {
      for (const std::size_t kept : keep)
        if (uses(pattern_.indices[kept], iterator.var) && !is_axis(kept)) {
          axes_.push_back({std::nullopt, kept});
          shape.push_back(arith::as_index(buffer->shape[kept]));
        }
      bool occurs = false;
      for (std::size_t d = 0; d < pattern_.indices.size(); ++d)
        occurs = occurs || (uses(pattern_.indices[d], iterator.var) &&
                            std::find(keep.begin(), keep.end(), d) == keep.end());
      occurs = occurs || (pattern_.condition.defined() && uses(pattern_.condition, iterator.var));
      if (!occurs) continue;
      axes_.push_back({iterator, 0});
      shape.push_back(arith::as_index(iterator.domain.extent));
    }
    if (shape.empty()) shape.push_back(make_int(1));  // one element, whatever the iterators are
    by_iterator_ = make_buffer(buffer->name + "_reindex", shape, buffer->type, buffer->scope);
  }

  Outcome read() {
    const Readers found = ARDEA_TRY(readers_of(f_, path_, buffer_, {BlockRef{block_.id}}));
    Path place = ARDEA_TRY(read_place(found));
    const Function program = with_new_indices();
    const Path block = *path_to(program, BlockRef{block_.id});
    // With one reader the place is one of the statements around it.
    const Path before = block.upto(place.size() - 1);
    Readers readers{block.block_around(), by_iterator_, {block}, {}};
    const auto touched = read_from(program, readers, before, by_iterator_);
    const arith::Touched box =
        without_loaded_bounds(touched ? *touched : arith::Touched{whole_region(by_iterator_), false});
    const Block copy = copying(box.exact);
    const Function out = finished(with(
        program, before, make_seq({copy_nest(program, copy, box.region.region, before), before.back()})));
    if (!box.exact && !is_never_written(f_, buffer_) && !reads_only_written(out, buffer_))
      return Refusal{
          "not_all_written",
          fmt::format("the copy would hold {}, and it is not proved that all of it is read, or has "
                      "been written before",
                      print(box.region))};
    return checked(out, copy);
  }

  Outcome write() {
    std::vector<BlockIterator> used;
    for (const Axis& axis : axes_) used.push_back(*axis.iterator);
    if (!solve_for_iterators(pattern_.indices, used, pattern_.indices, facts_for_block(f_, path_)))
      return Refusal{"index_not_invertible",
                     fmt::format("the indices of {} do not determine the iterators of block {}",
                                 print(make_load(buffer_, pattern_.indices)), block_.name)};
    ARDEA_TRY(writer_of(path_, buffer_));
    const Function program = with_new_indices();
    const Path block = *path_to(program, BlockRef{block_.id});
    Writer writer{block, block.block_around(), by_iterator_, {}, buffer_->name};
    for (const Buffer& buffer : {buffer_, by_iterator_})
      for (Touch& touch : touches(writer.scope, buffer)) writer.touches.push_back(std::move(touch));
    const WritePlace place = ARDEA_TRY(write_place(program, writer, context_));
    const Block copy = copying(true);
    const Stmt nest = copy_nest(program, copy, place.box.region, place.path);
    return checked(finished(with(program, place.path, make_seq({place.path.back(), nest}))), copy);
  }

 private:
  /// A dimension of the new buffer: the values of an iterator, or a dimension of the old one.
  struct Axis {
    std::optional<BlockIterator> iterator;
    std::size_t kept = 0;  ///< where there is no iterator
  };

  bool is_axis(std::size_t kept) const {
    return std::any_of(axes_.begin(), axes_.end(),
                       [&](const Axis& axis) { return !axis.iterator && axis.kept == kept; });
  }

  /// Where the block finds its element in the new buffer: v - min for an iterator.
  std::vector<Expr> places() const {
    std::vector<Expr> at;
    for (const Axis& axis : axes_) {
      if (!axis.iterator) {
        at.push_back(pattern_.indices[axis.kept]);
        continue;
      }
      const Expr& min = axis.iterator->domain.min;
      const Expr var = axis.iterator->var;
      at.push_back(is_zero(min) ? var : arith::as_index(var) - arith::as_index(min));
    }
    if (at.empty()) at.push_back(make_int(0));
    return at;
  }

  Function with_new_indices() const {
    const std::vector<Expr> at = places();
    Rewriter rewriter;
    rewriter.expr_after = [&](const Expr& e) -> Expr {
      const auto* load = e.as<Load>();
      return load != nullptr && load->buffer == buffer_ ? make_load(by_iterator_, at) : e;
    };
    rewriter.stmt_after = [&](const Stmt& s) -> Stmt {
      const auto* store = s.as<Store>();
      if (store != nullptr && store->buffer == buffer_) return make_store(by_iterator_, at, store->value);
      const auto* inner = s.as<Block>();
      if (inner == nullptr) return s;
      Block open = *inner;
      open.reads.reset();
      open.writes.reset();
      return open;
    };
    Block out = block_;
    out.body = rewrite(pattern_.body.defined() ? pattern_.body : block_.body, rewriter);
    if (block_.init.defined()) out.init = rewrite(block_.init, rewriter);
    // In the place of the old regions, so that the others keep their positions.
    for (auto* regions : {&out.reads, &out.writes})
      for (BufferRegion& region : **regions) {
        if (!(region.buffer == buffer_)) continue;
        region.buffer = by_iterator_;
        region.region.clear();
        for (const Expr& index : at) region.region.push_back({index, make_int(1, index.type())});
      }
    return with_allocation(with(f_, path_, with_own_lets(std::move(out))),
                           BlockRef{path_.block_around().block().id}, by_iterator_);
  }

  /// The block that copies, over the values of the iterators.
  Block copying(bool is_inside) const {
    return block_over(free_block_name(f_, by_iterator_->name), by_iterator_->shape,
                      [&](const std::vector<Expr>& at) { return copy_at(at, is_inside); });
  }

  Stmt copy_at(const std::vector<Expr>& at, bool is_inside) const {
    Substitution values;
    std::map<std::size_t, Expr> kept;
    arith::Analyzer facts = facts_for_block(f_, path_);
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      facts.bind(Var(at[i]), {make_int(0), by_iterator_->shape[i]});
      if (!axes_[i].iterator) {
        kept[axes_[i].kept] = at[i];
        continue;
      }
      const auto& [var, domain] = std::tie(axes_[i].iterator->var, axes_[i].iterator->domain);
      values[var] = make_cast(var.type(), is_zero(domain.min) ? at[i] : at[i] + arith::as_index(domain.min));
    }
    std::vector<Expr> indices;
    Expr inside;
    if (pattern_.condition.defined()) {
      inside = substitute(pattern_.condition, values);
      facts.assume(inside);
    }
    for (std::size_t d = 0; d < pattern_.indices.size(); ++d) {
      const auto same = kept.find(d);
      indices.push_back(same != kept.end() ? same->second : substitute(pattern_.indices[d], values));
      const Expr index = arith::as_index(indices.back()), extent = arith::as_index(buffer_->shape[d]);
      for (const Expr& condition : {make_int(0) <= index, index < extent})
        if (!is_inside && !facts.proves(condition)) inside = both_hold(inside, condition);
    }
    if (pattern_.writes) return make_store(buffer_, indices, make_load(by_iterator_, at));
    const Expr value = make_load(buffer_, indices);
    return make_store(by_iterator_, at,
                      inside.defined() ? chosen_value(inside, value, make_const(0, buffer_->type)) : value);
  }

  Function finished(const Function& program) const { return arith::complete_regions(program); }

  Outcome checked(const Function& program, const Block& copy) const {
    ARDEA_TRY(context_.judge(refuse_races_around(program, *path_to(program, BlockRef{copy.id}))));
    return Applied{program, {BlockRef{copy.id}}};
  }

  const Function& f_;
  const Path& path_;
  const Block& block_;
  const Buffer& buffer_;
  const Pattern pattern_;
  Context& context_;
  std::vector<Axis> axes_;
  Buffer by_iterator_;
};

Result<std::vector<std::size_t>> kept_dimensions(const Reindex& step, const Buffer& buffer, bool writes) {
  if (writes && !step.keep.empty())
    return Refusal{"kept_of_written",
                   fmt::format("{} is written, and only what is read may keep dimensions", buffer->name)};
  std::vector<std::size_t> keep;
  for (const std::int64_t d : step.keep) {
    if (d < 0 || d >= std::ssize(buffer->shape))
      return Refusal{"no_such_dimension", fmt::format("{} has {} dimensions, from 0 on, and no dimension {}",
                                                      buffer->name, buffer->shape.size(), d)};
    keep.push_back(static_cast<std::size_t>(d));
  }
  return keep;
}

}  // namespace

Outcome apply(const Function& f, const Reindex& step, Context& context) {
  const Path path = ARDEA_TRY(refer(f, step.block));
  if (path.size() == 1) return Refusal{"root_block", "the root block has no indices"};
  const Block& block = path.block();
  const Buffer buffer =
      ARDEA_TRY(find_buffer(step.buffer, *block.reads, *block.writes, "block " + block.name));
  for (const Touch& touch : touches(path.block_around(), buffer))
    if (path.holds(path.size() - 1, touch.path) && !touch.plain)
      return Refusal{"buffer_is_viewed",
                     fmt::format("block {} uses {} through a view, a matched part or an address", block.name,
                                 buffer->name)};
  PatternSearch search(path, buffer);
  Pattern pattern = ARDEA_TRY(step.with_condition ? search.run_with_condition() : search.run());
  const bool writes = pattern.writes;
  std::vector<std::size_t> keep = ARDEA_TRY(kept_dimensions(step, buffer, writes));
  Reindexing reindexing(f, path, buffer, std::move(pattern), keep, context);
  return writes ? reindexing.write() : reindexing.read();
}

}  // namespace ardea::schedule
