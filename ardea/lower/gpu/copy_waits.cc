#include <algorithm>
#include <unordered_set>

#include "ardea/arith/allocation_site.h"
#include "ardea/arith/pipelined_loops.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/substitute.h"
#include "ardea/lower/facts.h"
#include "ardea/lower/gpu/copy_waits.h"

#include "ardea/ir/guarded_copy.h"
#include "ardea/lower/gpu/launch.h"
#include "ardea/lower/gpu/passes.h"

namespace ardea::lower {

namespace {

Stmt commit() { return Evaluate{make_call("async_commit", {})}; }
Stmt wait_until(std::int64_t groups) { return Evaluate{make_call("async_wait", {make_int(groups)})}; }

/// A store that only moves an element of the device's memory to shared memory, or 0 where it is none.
const Store* copy_of(const Stmt& s) {
  const auto* store = s.as<Store>();
  const auto copy = store == nullptr ? std::nullopt : guarded_copy(store->value);
  const bool copies = copy && is_block_memory(store->buffer->scope) &&
                      copy->load->buffer->scope == "global" && is_true(store->predicate) &&
                      is_true(copy->load->predicate);
  return copies ? store : nullptr;
}

/// Which version of a pipeline's memory is meant, where that is the iteration and a number, modulo their
/// count.
class Versions {
 public:
  Versions(const Var& iteration, std::int64_t count) : iteration_(iteration), count_(count) {}

  std::int64_t count() const { return count_; }

  /// The number, from 0 on and less than the count. Nothing for another form. Constants, too, where the
  /// iteration is none of the loop's.
  std::optional<std::int64_t> offset(const Expr& version, bool in_loop) const {
    const arith::Analyzer none;
    const auto at = [&](std::int64_t iteration) {
      return constant_int(
          none.simplify(substitute(version, iteration_, make_int(iteration, iteration_.type()))));
    };
    const auto first = at(0), second = at(1);
    if (!first || !second || *first < 0 || *first >= count_) return std::nullopt;
    if (in_loop ? *second != (*first + 1) % count_ : *second != *first) return std::nullopt;
    return first;
  }

 private:
  Var iteration_;
  std::int64_t count_;
};

/// What a statement does with memory that copies fill.
struct Use {
  std::vector<std::int64_t> written, read;  ///< versions, by their numbers
};

/// A barrier deeper inside may be the one that a reader counts on.
bool hides_barrier(const Stmt& s) { return !is_block_barrier(s) && holds_block_barrier(s); }

/// What copies of a pipeline fill.
class CopiedMemory {
 public:
  /// `iteration`: of the pipeline's loop, or a variable that is nowhere.
  explicit CopiedMemory(const Var& iteration) : iteration_(iteration) {}

  const std::vector<Var>& memory() const { return memory_; }
  std::int64_t versions() const { return versions_->count(); }

  /// Whether it has as many versions as all else. One has no index that would say which.
  bool add(const Var& memory, std::int64_t versions) {
    if (is_known(memory)) return true;
    if (versions_ && versions_->count() != versions) return false;
    if (!versions_) versions_.emplace(iteration_, versions);
    memory_.push_back(memory);
    return true;
  }

  bool is_known(const Var& memory) const {
    return std::find(memory_.begin(), memory_.end(), memory) != memory_.end();
  }

  /// Nothing where a version is not known, or something else is stored than copies.
  std::optional<Use> use_of(const Stmt& s, bool in_loop) const {
    Use use;
    bool is_understood = true;
    const auto note = [&](const Buffer& buffer, const std::vector<Expr>& indices,
                          std::vector<std::int64_t>& to) {
      if (!is_known(buffer->data)) return;
      const auto version = version_at(buffer, indices, in_loop);
      is_understood = is_understood && version.has_value();
      to.push_back(version.value_or(0));
    };
    visit_stmts(s, [&](const Stmt& part) {
      const auto* store = part.as<Store>();
      if (store == nullptr) return;
      if (is_known(store->buffer->data)) is_understood = is_understood && copy_of(part) != nullptr;
      note(store->buffer, store->indices, use.written);
    });
    visit_exprs(s, [&](const Expr& e) {
      if (const auto* load = e.as<Load>()) note(load->buffer, load->indices, use.read);
    });
    return is_understood ? std::optional(use) : std::nullopt;
  }

  std::optional<std::vector<Use>> uses_of(const std::vector<Stmt>& statements, bool in_loop) const {
    std::vector<Use> uses;
    for (const Stmt& s : statements) {
      const auto use = use_of(s, in_loop);
      if (!use) return std::nullopt;
      uses.push_back(*use);
    }
    return uses;
  }

 private:
  std::optional<std::int64_t> version_at(const Buffer& buffer, const std::vector<Expr>& indices,
                                         bool in_loop) const {
    if (versions() == 1) return 0;
    if (indices.size() != buffer->shape.size() || indices.empty()) return std::nullopt;
    return versions_->offset(indices[0], in_loop);
  }

  Var iteration_;
  std::vector<Var> memory_;
  std::optional<Versions> versions_;
};

struct Grouped {
  std::vector<Stmt> statements;
  bool has_all_landed = false;
};

/// Statements one behind the other: copies of one version after the other are a group each, and a barrier
/// waits for what is read behind it and before the next one, which for the last is also `read_behind` all of
/// them. Nothing where they are in another order, or where no barrier is between a copy and what reads it.
std::optional<Grouped> in_groups(const std::vector<Stmt>& statements, const std::vector<Use>& uses,
                                 const std::vector<std::int64_t>& read_behind) {
  const auto last_read = [&](std::size_t barrier) {
    std::int64_t last = 0;
    const auto note = [&](const std::vector<std::int64_t>& read) {
      for (const std::int64_t version : read) last = std::max(last, version);
    };
    for (std::size_t i = barrier + 1; i < statements.size(); ++i) {
      if (is_block_barrier(statements[i])) return last;
      note(uses[i].read);
    }
    note(read_behind);
    return last;
  };
  std::vector<Stmt> out;
  std::int64_t committed = -1, open = -1, landed = -1;
  const auto close = [&] {
    if (open >= 0) out.push_back(commit());
    committed = std::max(committed, open);
    open = -1;
  };
  for (std::size_t i = 0; i < statements.size(); ++i) {
    for (const std::int64_t version : uses[i].read)
      if (version > landed) return std::nullopt;
    for (const std::int64_t version : uses[i].written) {
      if (version != open) close();
      if (version <= committed) return std::nullopt;
      open = version;
    }
    if (is_block_barrier(statements[i])) {
      close();
      const std::int64_t under_way = std::max<std::int64_t>(0, committed - last_read(i));
      if (committed > landed) out.push_back(wait_until(under_way));
      landed = committed - under_way;
    }
    out.push_back(statements[i]);
  }
  close();
  if (committed < 0) return std::nullopt;
  return Grouped{std::move(out), landed == committed};
}

class PipelineCopies {
 public:
  PipelineCopies(const For& loop, const std::vector<Stmt>& before)
      : loop_(loop), before_(before), copied_(loop.var) {
    visit_stmts(loop.body, [&](const Stmt& s) {
      const auto* store = s.as<Store>();
      if (store == nullptr || !is_block_memory(store->buffer->scope)) return;
      const auto versions =
          store->buffer->shape.empty() ? std::nullopt : constant_int(store->buffer->shape[0]);
      is_known_ =
          is_known_ && copy_of(s) != nullptr && versions && copied_.add(store->buffer->data, *versions);
    });
    is_known_ = is_known_ && !copied_.memory().empty() && copied_.versions() > 1;
  }

  const std::vector<Var>& memory() const { return copied_.memory(); }

  /// The statements before the loop and the loop, with groups and waits; nothing where they are not
  /// understood.
  std::optional<std::vector<Stmt>> with_waits(bool has_barrier_behind) const {
    const auto* body = loop_.body.as<Seq>();
    if (!is_known_ || body == nullptr) return std::nullopt;
    const std::vector<Stmt>& parts = body->statements;
    const auto first_barrier = std::find_if(parts.begin(), parts.end(), is_block_barrier);
    if (first_barrier == parts.end()) return std::nullopt;
    if (std::any_of(parts.begin(), parts.end(), hides_barrier) ||
        std::any_of(before_.begin(), before_.end(), hides_barrier))
      return std::nullopt;
    const auto uses = copied_.uses_of(parts, true), uses_before = copied_.uses_of(before_, false);
    if (!uses || !uses_before) return std::nullopt;
    std::vector<std::int64_t> read_behind;
    for (std::ptrdiff_t i = 0; i < first_barrier - parts.begin(); ++i) {
      const auto& read = (*uses)[static_cast<std::size_t>(i)].read;
      read_behind.insert(read_behind.end(), read.begin(), read.end());
    }
    auto filled = in_groups(before_, *uses_before, read_behind);
    const auto steady = steady_body(parts, *uses);
    if (!filled || !steady) return std::nullopt;
    std::vector<Stmt> out = std::move(filled->statements);
    For changed = loop_;
    changed.body = make_seq(*steady);
    out.emplace_back(changed);
    // What comes behind reads what the last iterations have begun to copy.
    out.push_back(wait_until(0));
    if (!has_barrier_behind) out.push_back(make_block_barrier());
    return out;
  }

 private:
  /// Each iteration's copies are a group. A barrier waits until those have landed that are read behind it.
  std::optional<std::vector<Stmt>> steady_body(const std::vector<Stmt>& parts,
                                               const std::vector<Use>& uses) const {
    std::size_t last_copy = 0;
    for (std::size_t i = 0; i < parts.size(); ++i)
      if (!uses[i].written.empty()) last_copy = i;
    const std::int64_t copied = uses[last_copy].written.front();
    std::vector<Stmt> out;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (is_block_barrier(parts[i])) {
        // Iterations from what is read, next behind the barrier, to what was copied last before it.
        std::int64_t apart = copied_.versions();
        for (std::size_t r = 0; r < parts.size(); ++r)
          for (const std::int64_t version : uses[r].read)
            apart = std::min(apart, distance(copied, version) - (r < i ? 1 : 0));
        const std::int64_t under_way = apart - (last_copy < i ? 0 : 1);
        if (under_way < 0) return std::nullopt;
        out.push_back(wait_until(under_way));
      }
      out.push_back(parts[i]);
      if (i == last_copy) out.push_back(commit());
    }
    return out;
  }

  /// How many iterations the copied version is ahead of the one that is read: at least one, since what is
  /// copied is not read in the same iteration, and at most as many as there are versions.
  std::int64_t distance(std::int64_t copied, std::int64_t read) const {
    const std::int64_t count = copied_.versions();
    return ((copied - read - 1) % count + count) % count + 1;
  }

  const For& loop_;
  const std::vector<Stmt>& before_;
  CopiedMemory copied_;
  bool is_known_ = true;
};

class Waiting {
 public:
  Stmt run(const Stmt& s) {
    if (const auto* sequence = s.as<Seq>()) {
      const auto pipeline =
          std::find_if(sequence->statements.begin(), sequence->statements.end(), is_pipeline);
      const bool has_loop = pipeline != sequence->statements.end();
      if (auto out =
              has_loop ? around_loop(sequence->statements, pipeline) : without_loop(sequence->statements))
        return make_seq(*std::move(out));
    }
    if (const auto* allocate = s.as<Allocate>())
      if (const auto versions = integer_attribute(allocate->annotations, arith::pipeline_versions_key, 0);
          versions > 0)
        filled_ahead_.emplace_back(allocate->data, versions);
    const Stmt out = map_children(s, Mapper{.stmt = [&](const Stmt& part) { return run(part); }});
    const auto* allocate = out.as<Allocate>();
    if (allocate == nullptr) return out;
    Allocate noted = *allocate;
    noted.annotations.erase(arith::pipeline_versions_key);
    if (awaited_.contains(allocate->data)) noted.annotations[async_copies_key] = Attribute{make_int(1)};
    return noted;
  }

 private:
  static bool is_pipeline(const Stmt& s) {
    const auto* loop = s.as<For>();
    return loop != nullptr && loop->annotations.contains(arith::pipeline_lead_key);
  }

  using Statements = std::vector<Stmt>;

  std::optional<Statements> around_loop(const Statements& all, Statements::const_iterator pipeline) {
    const Statements before(all.begin(), pipeline);
    const auto behind = pipeline + 1;
    const PipelineCopies copies(*pipeline->as<For>(), before);
    auto out = copies.with_waits(behind != all.end() && is_block_barrier(*behind));
    if (!out) return std::nullopt;
    awaited_.insert(copies.memory().begin(), copies.memory().end());
    out->insert(out->end(), behind, all.end());
    return out;
  }

  /// A pipeline that is drained as soon as it is filled.
  std::optional<Statements> without_loop(const Statements& all) {
    CopiedMemory copied(Var("iteration"));
    std::size_t end = 0;
    for (std::size_t i = 0; i < all.size(); ++i)
      for (const auto& [memory, versions] : filled_ahead_) {
        if (!arith::touches(all[i], memory)) continue;
        if (!copied.add(memory, versions)) return std::nullopt;
        end = i + 1;
      }
    const Statements touching(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(end));
    if (end == 0 || std::any_of(touching.begin(), touching.end(), hides_barrier)) return std::nullopt;
    const auto uses = copied.uses_of(touching, false);
    auto grouped = uses ? in_groups(touching, *uses, {}) : std::nullopt;
    if (!grouped || !grouped->has_all_landed) return std::nullopt;
    awaited_.insert(copied.memory().begin(), copied.memory().end());
    Statements out = std::move(grouped->statements);
    out.insert(out.end(), all.begin() + static_cast<std::ptrdiff_t>(end), all.end());
    return out;
  }

  std::vector<std::pair<Var, std::int64_t>> filled_ahead_;  ///< by pipelines, and its versions
  std::unordered_set<Var> awaited_;                         ///< what copies may fill while threads compute
};

}  // namespace

Function place_copy_waits(const Function& f, const target::Target& target) {
  if (copy_engine(target) == nullptr) return f;
  Function out = f;
  out.body = Waiting().run(f.body);
  return out;
}

bool is_copy_wait(const Stmt& s) {
  const auto* evaluate = s.as<Evaluate>();
  const auto* call = evaluate == nullptr ? nullptr : evaluate->value.as<Call>();
  return call != nullptr && call->op->name == "async_wait";
}

namespace {

const target::CopyEngine* engine_named(const target::Target& target, std::string_view name) {
  if (!target.gpu) return nullptr;
  for (const target::CopyEngine& engine : target.gpu->copy_engines)
    if (engine.name == name) return &engine;
  return nullptr;
}

}  // namespace

const target::CopyEngine* copy_engine(const target::Target& target) {
  return engine_named(target, "cp_async");
}

const target::CopyEngine* box_engine(const target::Target& target) {
  return engine_named(target, "bulk_tensor");
}

}  // namespace ardea::lower
