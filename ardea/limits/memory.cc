#include "ardea/limits/memory.h"

#include <algorithm>
#include <unordered_map>

#include "ardea/arith/allocation_site.h"
#include "ardea/arith/pipelined_loops.h"
#include "ardea/arith/regions.h"
#include "ardea/ir/layout.h"
#include "ardea/ir/scope.h"
#include "ardea/ir/substitute.h"
#include "ardea/limits/aligned_strides.h"
#include "ardea/limits/largest_value.h"

namespace ardea::limits {

namespace {

using arith::Analyzer;

/// How many iterations of the pipeline have the memory at a time, of what stands between it and its parts.
std::unordered_map<Var, std::int64_t> versions_in(const For& loop) {
  std::unordered_map<Var, std::int64_t> versions;
  if (!loop.annotations.contains(arith::pipeline_stage_key)) return versions;
  std::vector<Var> own;
  Stmt body = loop.body;
  while (const auto* allocate = body.as<Allocate>()) {
    own.push_back(allocate->data);
    const auto* declare = allocate->body.as<DeclareBuffer>();
    body = declare != nullptr ? declare->body : allocate->body;
  }
  const auto* parts = body.as<Seq>();
  if (parts == nullptr) return versions;
  const arith::PipelineStages stages{*arith::numbers_of(loop.annotations.at(arith::pipeline_stage_key)),
                                     *arith::numbers_of(loop.annotations.at(arith::pipeline_order_key))};
  for (const Var& data : own) {
    std::vector<std::size_t> touching;
    for (std::size_t i = 0; i < parts->statements.size(); ++i)
      if (arith::touches(parts->statements[i], data)) touching.push_back(i);
    versions[data] = arith::versions_needed(stages, touching, loop.extent);
  }
  return versions;
}

/// A size that varies with the loops around is the largest of its values; `fallback` where none is known.
Expr in_all_iterations(const Expr& size, const Expr& fallback, const Analyzer& facts) {
  if (!varies_with_loops(size, facts)) return size;
  const Expr largest = largest_value(size, facts);
  return largest.defined() ? largest : fallback;
}

bool is_thread_loop(const For& loop) {
  return loop.kind == ForKind::thread_binding && loop.thread.starts_with("threadIdx.");
}

/// A loop over the threads of each axis that loops in s are bound to: the longest says how many there are.
std::map<std::string, arith::LoopRange> threads_in(const Stmt& s, const Analyzer& facts) {
  std::map<std::string, arith::LoopRange> threads;
  visit_stmts(s, [&](const Stmt& part) {
    const auto* loop = part.as<For>();
    if (loop == nullptr || !is_thread_loop(*loop)) return;
    const Expr extent = facts.simplify(as_index(loop->extent));
    const auto [at, is_new] =
        threads.try_emplace(loop->thread, Var(loop->var.name()), Range{make_int(0), extent});
    Expr& longest = at->second.second.extent;
    if (!is_new && !facts.proves(extent <= longest)) longest = facts.simplify(max(longest, extent));
  });
  return threads;
}

/// What one thread of a block does of s.
Stmt by_one_thread(const Stmt& s, const std::map<std::string, arith::LoopRange>& threads) {
  const auto* loop = s.as<For>();
  if (loop == nullptr || !is_thread_loop(*loop))
    return map_children(s, Mapper{.stmt = [&](const Stmt& part) { return by_one_thread(part, threads); }});
  const auto& [own, range] = threads.at(loop->thread);
  const Expr value = make_cast(loop->var.type(), own);
  const Stmt body = substitute(loop->body, loop->var, is_zero(loop->min) ? value : value + loop->min);
  return by_one_thread(If{own < as_index(loop->extent), body, {}}, threads);
}

class Collection {
 public:
  explicit Collection(const target::Target& target) : target_(target) {}

  void visit(const Stmt& s, const Surroundings& around) {
    if (const auto* loop = s.as<For>()) versions_.merge(versions_in(*loop));
    if (const auto* allocate = s.as<Allocate>()) found_.push_back(memory_of(*allocate, around));
    const Surroundings inner = limits::inside(around, s);
    for_each_child(s, [](const Expr&) {}, [&](const Stmt& part) { visit(part, inner); });
  }

  std::vector<Memory> take() { return std::move(found_); }

 private:
  Memory memory_of(const Allocate& allocate, Surroundings around) const {
    const Analyzer& facts = around.facts;
    const KeptBox kept = kept_box(of_thread(allocate, around), around, target_, Sizes::exact);
    Memory memory{allocate.data, allocate.scope, allocate.type, {}, kept.row, {}, {}};
    for (std::size_t d = 0; d < kept.shape.size(); ++d) {
      const Expr whole = d < allocate.extents.size() ? as_index(allocate.extents[d]) : make_int(1);
      memory.shape.push_back(in_all_iterations(as_index(kept.shape[d]), whole, facts));
    }
    const auto versions = versions_.find(allocate.data);
    const bool has_versions = versions != versions_.end() && versions->second > 1;
    if (has_versions) memory.shape.insert(memory.shape.begin(), make_int(versions->second));
    memory.elements = facts.simplify(allocated_elements(allocate, memory.shape, has_versions));
    memory.bytes = facts.simplify(memory.elements * make_int(allocate.type.bytes()));
    return memory;
  }

  /// A thread of a GPU, or a warp, has what it touches itself, wherever the allocation stands.
  Allocate of_thread(const Allocate& allocate, Surroundings& around) const {
    const auto rank = scope_rank(allocate.scope);
    if (!target_.gpu || (rank != ScopeRank::thread && rank != ScopeRank::warp)) return allocate;
    const auto threads = threads_in(allocate.body, around.facts);
    for (const auto& [axis, loop] : threads) around.facts.bind(loop.first, loop.second);
    Allocate own = allocate;
    own.body = by_one_thread(allocate.body, threads);
    return own;
  }

  const target::Target& target_;
  std::unordered_map<Var, std::int64_t> versions_;
  std::vector<Memory> found_;
};

using Sums = std::map<std::string, Expr>;

/// Of two parts that run one after the other.
void take_larger(Sums& sums, const Sums& others, const Analyzer& facts) {
  for (const auto& [scope, cost] : others) {
    Expr& sum = sums[scope];
    if (!sum.defined() || facts.proves(sum <= cost))
      sum = cost;
    else if (!facts.proves(cost <= sum))
      sum = facts.simplify(max(sum, cost));
  }
}

class Liveness {
 public:
  Liveness(const std::vector<Memory>& memory, const Cost& cost, const Group& group,
           const target::Target& target, const Analyzer& facts)
      : cost_(cost), group_(group), interleaves_(target.kind != target::Kind::cpu), facts_(facts) {
    for (const Memory& one : memory) by_data_[one.data] = &one;
  }

  Sums in(const Stmt& s) const {
    Sums sums;
    for_each_child(s, [](const Expr&) {}, [&](const Stmt& part) { take_larger(sums, in(part), facts_); });
    if (const auto* loop = s.as<For>();
        loop != nullptr && loop->kind == ForKind::virtual_thread && interleaves_)
      for (auto& [group, sum] : sums) sum = facts_.simplify(multiply_index(sum, as_index(loop->extent)));
    const auto* allocate = s.as<Allocate>();
    const std::string group = allocate != nullptr ? group_(allocate->scope) : std::string();
    if (group.empty()) return sums;
    Expr& sum = sums[group];
    const Expr own = cost_(*by_data_.at(allocate->data));
    sum = facts_.simplify(sum.defined() ? sum + own : own);
    return sums;
  }

 private:
  const Cost& cost_;
  const Group& group_;
  bool interleaves_;
  const Analyzer& facts_;
  std::unordered_map<Var, const Memory*> by_data_;
};

}  // namespace

Expr allocated_elements(const Allocate& allocate, const std::vector<Expr>& shape, bool has_versions) {
  std::vector<StorageAlignment> alignments = storage_alignments(allocate.annotations);
  if (allocate.scope == register_scope || !whole_view(allocate, Addresses::of_units).defined())
    alignments.clear();
  for (StorageAlignment& alignment : alignments) alignment.axis += has_versions ? 1 : 0;
  const std::vector<Expr> strides = aligned_strides(shape, alignments);
  Expr elements = make_int(1);
  if (alignments.empty()) {
    for (const Expr& extent : shape) elements = multiply_index(elements, extent);
    return elements;
  }
  for (std::size_t d = 0; d < shape.size(); ++d)
    elements = add_index(elements, multiply_index(add_index(shape[d], make_int(-1)), strides[d]));
  return elements;
}

std::vector<Memory> memory_of(const Function& f, const target::Target& target) {
  Collection collection(target);
  collection.visit(f.body, {arith::facts_of(f)});
  return collection.take();
}

std::map<std::string, Expr> live(const Function& f, const std::vector<Memory>& memory, const Cost& cost,
                                 const Group& group, const target::Target& target) {
  const Analyzer facts = arith::facts_of(f);
  return Liveness(memory, cost, group, target, facts).in(f.body);
}

std::string own_group(const std::string& scope) { return scope; }

}  // namespace ardea::limits
