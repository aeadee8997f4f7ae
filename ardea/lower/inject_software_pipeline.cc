#include <algorithm>

#include "ardea/arith/allocation_site.h"
#include "ardea/arith/pipelined_loops.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/scope.h"
#include "ardea/ir/storage_alignment.h"
#include "ardea/ir/substitute.h"
#include "ardea/lower/facts.h"
#include "ardea/lower/layout.h"
#include "ardea/lower/passes.h"
#include "ardea/support/error.h"

namespace ardea::lower {

namespace {

using arith::Analyzer;
using arith::PipelineStages;

/// Memory that one iteration fills and reads, allocated around the statements of the loop's body.
struct OwnMemory {
  Allocate allocate;
  Buffer buffer;
  std::int64_t versions = 1;
};

std::vector<std::size_t> parts_touching(const std::vector<Stmt>& parts, const Var& data) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (arith::touches(parts[i], data)) found.push_back(i);
  return found;
}

/// A view of all versions of what `view` is a view of in one: the version is its first index.
Buffer versioned(const Buffer& view, const OwnMemory& memory) {
  ensure(view->type == memory.buffer->type, "inject_software_pipeline: {} is a view of {} as another type",
         view->name, memory.buffer->name);
  BufferNode all = *view;
  all.shape.insert(all.shape.begin(), make_int(memory.versions));
  if (view == memory.buffer && is_compact(view)) return Buffer(std::move(all));
  all.strides = strides_of(view);
  all.strides.insert(all.strides.begin(), flat_size(memory.buffer));
  return Buffer(std::move(all));
}

class Pipeline {
 public:
  /// `tells_lead`: the steady state says how far ahead its first stage is.
  Pipeline(const For& loop, const Analyzer& facts, bool tells_lead)
      : loop_(loop), facts_(facts), type_(loop.var.type()), tells_lead_(tells_lead) {
    Stmt body = loop.body;
    while (const auto* allocate = body.as<Allocate>()) {
      const auto* declare = allocate->body.as<DeclareBuffer>();
      ensure(declare != nullptr && declare->buffer->data == allocate->data,
             "inject_software_pipeline: {} has no buffer around the body of loop {}", allocate->data.name(),
             loop.var.name());
      own_.push_back({*allocate, declare->buffer});
      body = declare->body;
    }
    const auto* sequence = body.as<Seq>();
    ensure(sequence != nullptr, "inject_software_pipeline: the body of loop {} is no sequence",
           loop.var.name());
    parts_ = sequence->statements;
    read_stages();
    for (OwnMemory& memory : own_) {
      memory.versions = versions_needed(stages_, parts_touching(parts_, memory.allocate.data), loop.extent);
      by_data_.emplace(memory.allocate.data, &memory);
    }
  }

  Stmt run() {
    std::vector<Stmt> all;
    for (std::int64_t time = 0; time < depth_; ++time) fill(time, all);
    if (Stmt steady = steady_state(); steady.defined()) all.push_back(std::move(steady));
    for (std::int64_t time = 0; time < depth_; ++time) drain(time, all);
    Stmt out = make_seq(std::move(all));
    for (std::size_t i = own_.size(); i-- > 0;) out = around(own_[i], std::move(out));
    return out;
  }

 private:
  void read_stages() {
    stages_ = {*arith::numbers_of(loop_.annotations.at(arith::pipeline_stage_key)),
               *arith::numbers_of(loop_.annotations.at(arith::pipeline_order_key))};
    ensure(stages_.stage.size() == parts_.size(),
           "inject_software_pipeline: loop {} holds {} statements, not {}", loop_.var.name(), parts_.size(),
           stages_.stage.size());
    const std::int64_t first = *std::min_element(stages_.stage.begin(), stages_.stage.end());
    for (std::int64_t& stage : stages_.stage) stage -= first;
    depth_ = *std::max_element(stages_.stage.begin(), stages_.stage.end());
    in_order_.resize(parts_.size());
    for (std::size_t i = 0; i < parts_.size(); ++i) in_order_[static_cast<std::size_t>(stages_.order[i])] = i;
  }

  Expr number(std::int64_t value) const { return make_int(value, type_); }

  /// The iteration of the statement in code of its own, with no definition in common.
  Stmt copy(std::size_t part, const Expr& iteration) { return fresh_copy(at_iteration(part, iteration)); }

  Stmt at_iteration(std::size_t part, const Expr& iteration) {
    const Expr at = facts_.simplify(iteration);
    const Redirection to_version = {
        .access = [&](const Buffer& b, const std::vector<Expr>& indices) -> std::optional<Place> {
          const OwnMemory* memory = memory_with_versions(b);
          if (memory == nullptr) return std::nullopt;
          Place place{all_versions(b, *memory), indices};
          const Expr version = facts_.simplify(floor_mod(as_index(at), make_int(memory->versions)));
          place.indices.insert(place.indices.begin(), version);
          return place;
        }};
    const Stmt moved = redirect(substitute(parts_[part], loop_.var, at), to_version);
    return rewrite(
        moved, Rewriter{.stmt_after = [&](const Stmt& s) -> Stmt {
          const auto* declare = s.as<DeclareBuffer>();
          const OwnMemory* memory = declare == nullptr ? nullptr : memory_with_versions(declare->buffer);
          return memory == nullptr ? s : DeclareBuffer{all_versions(declare->buffer, *memory), declare->body};
        }});
  }

  const OwnMemory* memory_with_versions(const Buffer& b) const {
    const auto at = by_data_.find(b->data);
    return at == by_data_.end() || at->second->versions == 1 ? nullptr : at->second;
  }

  /// One for each view, so that a declaration and its accesses agree.
  Buffer all_versions(const Buffer& view, const OwnMemory& memory) {
    const auto [at, added] = versioned_.try_emplace(view);
    if (added) at->second = versioned(view, memory);
    return at->second;
  }

  /// Before the steady state: the statements whose stage has come. A short loop has fewer iterations.
  void fill(std::int64_t time, std::vector<Stmt>& all) {
    for (const std::size_t part : in_order_) {
      const std::int64_t iteration = time - stages_.stage[part];
      if (iteration < 0) continue;
      const Expr exists = loop_.extent > number(iteration);
      const arith::Proof known = facts_.prove(exists);
      if (known == arith::Proof::refuted) continue;
      const Stmt run = copy(part, loop_.min + number(iteration));
      all.push_back(known == arith::Proof::proved ? run : make_if(exists, run));
    }
  }

  /// How many iterations what fills shared memory is ahead of what reads it, at least.
  std::int64_t lead_of_copies() const {
    std::int64_t least = depth_;
    for (const OwnMemory& memory : own_) {
      if (scope_rank(memory.allocate.scope) != ScopeRank::block) continue;
      const std::vector<std::size_t> users = parts_touching(parts_, memory.allocate.data);
      for (const std::size_t reader : users)
        if (reader != users.front())
          least = std::min(least, stages_.stage[reader] - stages_.stage[users.front()]);
    }
    return least;
  }

  /// The loop counts the iterations of the last stage; nothing where there is none for which all run.
  Stmt steady_state() {
    const Expr depth = number(depth_);
    if (facts_.proves(loop_.extent <= depth) && depth_ > 0) return {};
    For steady = loop_;
    steady.annotations.erase(arith::pipeline_stage_key);
    steady.annotations.erase(arith::pipeline_order_key);
    if (const std::int64_t lead = tells_lead_ ? lead_of_copies() : 0; lead > 0)
      steady.annotations[arith::pipeline_lead_key] = Attribute{make_int(lead)};
    steady.extent = facts_.simplify(loop_.extent - depth);
    std::vector<Stmt> body;
    const bool is_once = is_one(steady.extent);
    for (const std::size_t part : in_order_) {
      const Expr lead = number(depth_ - stages_.stage[part]);
      body.push_back(is_once ? copy(part, loop_.min + lead) : at_iteration(part, loop_.var + lead));
    }
    steady.body = make_seq(std::move(body));
    if (is_once) return steady.body;
    // A condition, not an extent that is at least 0: accesses are proved by it.
    return facts_.proves(loop_.extent >= depth) ? Stmt(steady) : make_if(loop_.extent > depth, steady);
  }

  /// After it: what is left, of a loop of fewer iterations than stages only what fill has not done.
  void drain(std::int64_t time, std::vector<Stmt>& all) {
    const Expr is_new = loop_.extent >= number(depth_ - time);
    const arith::Proof known = facts_.prove(is_new);
    if (known == arith::Proof::refuted) return;
    std::vector<Stmt> group;
    for (const std::size_t part : in_order_)
      if (time < stages_.stage[part])
        group.push_back(copy(part, loop_.min + loop_.extent + number(time - stages_.stage[part])));
    if (group.empty()) return;
    Stmt run = make_seq(std::move(group));
    all.push_back(known == arith::Proof::proved ? run : make_if(is_new, run));
  }

  Stmt around(const OwnMemory& memory, Stmt body) {
    Allocate allocate = memory.allocate;
    Buffer buffer = memory.buffer;
    if (tells_lead_ && scope_rank(allocate.scope) == ScopeRank::block && lead_of_copies() > 0)
      allocate.annotations[arith::pipeline_versions_key] = Attribute{make_int(memory.versions)};
    if (memory.versions > 1) {
      buffer = all_versions(memory.buffer, memory);
      // Versions are its first dimension now.
      std::vector<StorageAlignment> alignments = storage_alignments(allocate.annotations);
      for (StorageAlignment& alignment : alignments) ++alignment.axis;
      if (!alignments.empty()) allocate.annotations[storage_alignment_key] = attribute_of(alignments);
      if (is_compact(buffer))
        allocate.extents = buffer->shape;
      else
        allocate.extents = {multiply_index(make_int(memory.versions), flat_size(memory.buffer))};
    }
    allocate.body = DeclareBuffer{buffer, std::move(body)};
    return allocate;
  }

  const For& loop_;
  const Analyzer& facts_;
  DataType type_;
  bool tells_lead_;
  std::vector<OwnMemory> own_;
  std::unordered_map<Var, const OwnMemory*> by_data_;
  std::unordered_map<Buffer, Buffer> versioned_;
  std::vector<Stmt> parts_;
  PipelineStages stages_;
  std::int64_t depth_ = 0;
  std::vector<std::size_t> in_order_;  ///< positions of statements
};

Stmt with_pipelines(const Stmt& s, const Analyzer& facts, bool tells_lead) {
  const Stmt inner = map_inside(s, facts, [&](const Stmt& part, const Analyzer& known) {
    return with_pipelines(part, known, tells_lead);
  });
  const auto* loop = inner.as<For>();
  const bool is_pipeline = loop != nullptr && loop->annotations.contains(arith::pipeline_stage_key);
  return is_pipeline ? Pipeline(*loop, facts, tells_lead).run() : inner;
}

}  // namespace

Function inject_software_pipeline(const Function& f, const target::Target& target) {
  Function out = f;
  out.body = with_pipelines(f.body, arith::facts_of(f), target.gpu.has_value());
  return out;
}

}  // namespace ardea::lower
