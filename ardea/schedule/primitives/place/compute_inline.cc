#include "ardea/schedule/primitives/place/compute_inline.h"

#include <algorithm>

#include "ardea/arith/regions.h"
#include "ardea/arith/verify_laws.h"
#include "ardea/ir/print.h"
#include "ardea/ir/substitute.h"
#include "ardea/schedule/analysis/element_function.h"
#include "ardea/schedule/analysis/inverse_index.h"
#include "ardea/schedule/program/refer.h"
#include "ardea/schedule/program/removal.h"
#include "ardea/schedule/program/scope.h"
#include "ardea/schedule/program/touches.h"

namespace ardea::schedule {

namespace {

using arith::Analyzer;

/// The boxes of the buffer that s writes and reads.
struct Boxes {
  std::vector<arith::Touched> writes, reads;

  Boxes(const Stmt& s, const Buffer& buffer, const Analyzer& facts) {
    for (const arith::Access& access : arith::each_access(s, facts))
      if (access.each.buffer == buffer) (access.write ? writes : reads).push_back(access.touched());
  }

  /// Whether one write reaches every element that is read.
  bool written_is_all_read(const Analyzer& facts) const {
    return writes.size() == 1 && writes[0].exact &&
           std::all_of(reads.begin(), reads.end(), [&](const arith::Touched& read) {
             return contains(writes[0].region, read.region, facts) == arith::Proof::proved;
           });
  }
};

class Inlining {
 public:
  Inlining(const Function& f, const ElementFunction& producer, Context& context)
      : f_(f), producer_(producer), context_(context) {}

  Outcome run() {
    for (const auto check : {&Inlining::check_buffer, &Inlining::check_readers, &Inlining::check_index,
                             &Inlining::check_coverage, &Inlining::check_inputs})
      ARDEA_TRY((this->*check)());
    Removed rest = without(f_, producer_.path);
    const Path around = *path_to(rest.program, BlockRef{producer_.scope.block().id});
    Block scope = around.block();
    std::erase(scope.allocations, producer_.buffer);
    scope.body = visit(scope.body, inside_scope());
    if (refusal_) return *std::move(refusal_);
    rest.gone.push_back({BlockRef{producer_.block().id}, {}});
    return Applied{arith::complete_regions(with(rest.program, around, scope)), {}, std::move(rest.gone)};
  }

 private:
  const std::string& name() const { return producer_.block().name; }
  const Buffer& buffer() const { return producer_.buffer; }

  Analyzer inside_scope() const {
    return arith::facts_inside(producer_.scope.block(), producer_.scope.facts(f_));
  }

  std::optional<Refusal> check_buffer() {
    const std::vector<Buffer>& own = producer_.scope.block().allocations;
    if (std::find(own.begin(), own.end(), buffer()) == own.end())
      return Refusal{"buffer_not_of_scope",
                     fmt::format("{}, which block {} writes, is not allocated by the block around it",
                                 buffer()->name, name())};
    for (Touch& touch : touches(producer_.scope, buffer())) {
      if (!touch.plain)
        return Refusal{
            "buffer_is_viewed",
            fmt::format("{} is also used through a view, a matched part or an address", buffer()->name)};
      const bool own_store =
          std::find(touch.path.begin(), touch.path.end(), producer_.path.back()) != touch.path.end();
      if (touch.writes && !own_store)
        return Refusal{"other_writer", fmt::format("{} is written by more than block {}: {}", buffer()->name,
                                                   name(), arith::brief(touch.path.back()))};
      if (touch.reads) readers_.push_back(std::move(touch));
    }
    if (readers_.empty())
      return Refusal{"not_read",
                     fmt::format("nothing reads {}, which block {} writes", buffer()->name, name())};
    return std::nullopt;
  }

  std::optional<Refusal> check_readers() {
    for (const Touch& reader : readers_) {
      const Stmt& s = reader.path.back();
      if (s.is<Block>() || s.is<For>())
        return Refusal{
            "read_in_binding",
            fmt::format("{} is read by the {} of {}, which take no computation", buffer()->name,
                        s.is<Block>() ? "bindings or the predicate" : "bounds",
                        s.is<Block>() ? "block " + s.as<Block>()->name : "loop " + s.as<For>()->var.name())};
      if (!stands_before(producer_.path, reader.path))
        return Refusal{"read_before", fmt::format("block {} does not come before all that reads {}", name(),
                                                  buffer()->name)};
    }
    return std::nullopt;
  }

  std::optional<Refusal> check_index() {
    if (solve_for_iterators(producer_.indices, producer_.block().iterators, producer_.indices,
                            inside_scope()))
      return std::nullopt;
    return Refusal{"index_not_invertible",
                   fmt::format("the indices of {} do not determine the iterators of block {}",
                               print(make_load(buffer(), producer_.indices)), name())};
  }

  std::optional<Refusal> check_coverage() {
    const Analyzer facts = inside_scope();
    const Boxes boxes(producer_.scope.block().body, buffer(), facts);
    const bool writes_all =
        boxes.writes.size() == 1 && boxes.writes[0].exact &&
        contains(boxes.writes[0].region, whole_region(buffer()), facts) == arith::Proof::proved;
    if (writes_all || boxes.written_is_all_read(facts)) return std::nullopt;
    return context_.judge(Refusal{
        "writes_only_part",
        fmt::format("it is not proved that block {} writes all of {} that is read", name(), buffer()->name)});
  }

  std::optional<Refusal> check_inputs() {
    for (const Buffer& input : loaded_buffers(producer_.value))
      for (const Touch& writer : touches(producer_.scope, input))
        if (writer.writes && may_change_before_use(writer))
          return Refusal{"input_changes",
                         fmt::format("{}, which block {} reads, may be overwritten before {} is read: {}",
                                     input->name, name(), buffer()->name, arith::brief(writer.path.back()))};
    return std::nullopt;
  }

  /// The writer is harmless where it is done before P starts: it runs once, or each round of the loop around
  /// both reads only what P wrote in that round.
  bool may_change_before_use(const Touch& writer) {
    if (!stands_before(writer.path, producer_.path)) return true;
    const auto loop = common_loop(producer_.scope, writer.path, producer_.path);
    if (!loop) return false;
    const Stmt& around = producer_.path[*loop];
    for (const Touch& reader : readers_)
      if (reader.path.size() <= *loop || !(reader.path[*loop] == around)) return true;
    const Path inside = producer_.path.upto(*loop + 1);
    const Analyzer facts = inside.facts(f_);
    return !Boxes(inside.back(), buffer(), facts).written_is_all_read(facts);
  }

  // --- the rewriting ---

  Stmt visit(const Stmt& s, const Analyzer& facts) {
    Analyzer inside = facts;
    if (const auto* loop = s.as<For>()) inside.bind(loop->var, {loop->min, loop->extent});
    const auto* block = s.as<Block>();
    if (block != nullptr) inside = arith::facts_inside(*block, facts);
    const auto stmt = [&](const Stmt& part) { return visit(part, inside); };
    if (block == nullptr) {
      const Stmt now =
          map_children(s, Mapper{.expr = [&](const Expr& e) { return inlined(e, facts); }, .stmt = stmt});
      // A let that statements shared is now one of each.
      const bool is_leaf = s.is<Store>() || s.is<Evaluate>() || s.is<Assert>();
      return is_leaf && !(now == s) ? fresh_copy(now) : now;
    }
    const Stmt mapped = map_children(s, Mapper{.stmt = stmt});
    const bool lists =
        block->reads && std::any_of(block->reads->begin(), block->reads->end(),
                                    [&](const BufferRegion& r) { return r.buffer == buffer(); });
    if (mapped == s && !lists) return s;
    Block out = *mapped.as<Block>();
    out.reads.reset();
    return out;
  }

  Expr inlined(const Expr& e, const Analyzer& facts) {
    Rewriter rewriter;
    rewriter.expr_after = [&](const Expr& part) {
      const auto* load = part.as<Load>();
      return load != nullptr && load->buffer == buffer() ? value_at(part, *load, facts) : part;
    };
    return rewrite(e, rewriter);
  }

  Expr value_at(const Expr& e, const Load& load, const Analyzer& facts) {
    if (load.predicate.defined() || e.type().lanes != 1) {
      refusal_ = Refusal{"read_as_vector",
                         fmt::format("{} is read as a vector or under a mask: {}", buffer()->name, print(e))};
      return e;
    }
    const auto values =
        solve_for_iterators(producer_.indices, producer_.block().iterators, load.indices, facts);
    if (!values) {
      refusal_ = Refusal{"index_not_invertible",
                         fmt::format("the iterators of block {} at {} are not found", name(), print(e))};
      return e;
    }
    const bool renames_only = std::all_of(values->begin(), values->end(), [](const auto& value) {
      return value.second.template is<VarNode>();
    });
    const Expr value = substitute(fresh_copy(producer_.value), *values);
    return renames_only ? value : facts.simplify(value);
  }

  const Function& f_;
  const ElementFunction& producer_;
  Context& context_;
  std::vector<Touch> readers_;
  std::optional<Refusal> refusal_;
};

}  // namespace

Outcome apply(const Function& f, const ComputeInline& step, Context& context) {
  Path path = ARDEA_TRY(refer(f, step.block));
  ElementFunction producer = ARDEA_TRY(element_function(path));
  return Inlining(f, producer, context).run();
}

}  // namespace ardea::schedule
