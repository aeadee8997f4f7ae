#include <algorithm>

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

class PipelineCopies {
 public:
  PipelineCopies(const For& loop, const std::vector<Stmt>& before) : loop_(loop), before_(before) {
    visit_stmts(loop.body, [&](const Stmt& s) {
      const auto* store = s.as<Store>();
      if (store == nullptr || !is_block_memory(store->buffer->scope)) return;
      is_known_ = is_known_ && copy_of(s) != nullptr && add(store->buffer);
    });
    is_known_ = is_known_ && !memory_.empty();
  }

  const std::vector<Buffer>& memory() const { return memory_; }

  /// The statements before the loop and the loop, with groups and waits; nothing where they are not
  /// understood.
  std::optional<std::vector<Stmt>> with_waits(bool has_barrier_behind) {
    const auto* body = loop_.body.as<Seq>();
    if (!is_known_ || body == nullptr) return std::nullopt;
    const std::vector<Stmt>& parts = body->statements;
    if (std::none_of(parts.begin(), parts.end(), is_block_barrier)) return std::nullopt;
    // A barrier deeper inside may be the one that a reader counts on.
    const auto hides_barrier = [](const Stmt& s) { return !is_block_barrier(s) && holds_block_barrier(s); };
    if (std::any_of(parts.begin(), parts.end(), hides_barrier) ||
        std::any_of(before_.begin(), before_.end(), hides_barrier))
      return std::nullopt;
    std::vector<Use> uses;
    for (const Stmt& part : parts) {
      const auto use = use_of(part, true);
      if (!use) return std::nullopt;
      uses.push_back(*use);
    }
    std::vector<Stmt> out = filled(parts, uses);
    const auto steady = steady_body(parts, uses);
    if (out.empty() || !steady) return std::nullopt;
    For changed = loop_;
    changed.body = make_seq(*steady);
    out.emplace_back(changed);
    // What comes behind reads what the last iterations have begun to copy.
    out.push_back(wait_until(0));
    if (!has_barrier_behind) out.push_back(make_block_barrier());
    return out;
  }

 private:
  bool add(const Buffer& buffer) {
    if (std::find(memory_.begin(), memory_.end(), buffer) != memory_.end()) return true;
    const auto count = buffer->shape.empty() ? std::nullopt : constant_int(buffer->shape[0]);
    if (!count || (versions_ && versions_->count() != *count)) return false;
    if (!versions_) versions_.emplace(loop_.var, *count);
    memory_.push_back(buffer);
    return true;
  }

  bool is_memory(const Buffer& buffer) const {
    return std::any_of(memory_.begin(), memory_.end(),
                       [&](const Buffer& one) { return one->data == buffer->data; });
  }

  /// Nothing where a version is not known.
  std::optional<Use> use_of(const Stmt& s, bool in_loop) const {
    Use use;
    bool is_known = true;
    const auto note = [&](const Buffer& buffer, const std::vector<Expr>& indices,
                          std::vector<std::int64_t>& to) {
      if (!is_memory(buffer)) return;
      const auto version = indices.size() == buffer->shape.size() && !indices.empty()
                               ? versions_->offset(indices[0], in_loop)
                               : std::nullopt;
      is_known = is_known && version.has_value();
      to.push_back(version.value_or(0));
    };
    visit_stmts(s, [&](const Stmt& part) {
      if (const auto* store = part.as<Store>()) note(store->buffer, store->indices, use.written);
    });
    visit_exprs(s, [&](const Expr& e) {
      if (const auto* load = e.as<Load>()) note(load->buffer, load->indices, use.read);
    });
    return is_known ? std::optional(use) : std::nullopt;
  }

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
        std::int64_t apart = versions_->count();
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
    const std::int64_t count = versions_->count();
    return ((copied - read - 1) % count + count) % count + 1;
  }

  /// What fills the pipeline: its copies are those of the first iterations, one group each, in whose order
  /// versions are counted.
  std::vector<Stmt> filled(const std::vector<Stmt>& parts, const std::vector<Use>& uses) const {
    std::vector<Use> before;
    for (const Stmt& s : before_) {
      const auto use = use_of(s, false);
      if (!use) return {};
      before.push_back(*use);
    }
    const auto first_barrier = std::find_if(parts.begin(), parts.end(), is_block_barrier) - parts.begin();
    std::vector<Stmt> out;
    std::int64_t committed = -1, open = -1;
    const auto close = [&] {
      if (open >= 0) out.push_back(commit());
      committed = std::max(committed, open);
      open = -1;
    };
    for (std::size_t i = 0; i < before_.size(); ++i) {
      for (const std::int64_t version : before[i].written) {
        if (version != open) close();
        if (version < committed) return {};
        open = version;
      }
      if (is_block_barrier(before_[i])) {
        close();
        if (committed >= 0)
          out.push_back(
              wait_until(std::max<std::int64_t>(0, committed - last_read(before, i, uses, first_barrier))));
      }
      out.push_back(before_[i]);
    }
    close();
    if (committed < 0) return {};
    return out;
  }

  /// The last version that is read behind the barrier at i and before the next one, which may be the loop's.
  static std::int64_t last_read(const std::vector<Use>& before, std::size_t i, const std::vector<Use>& uses,
                                std::ptrdiff_t first_barrier) {
    std::int64_t last = 0;
    for (std::size_t j = i + 1; j < before.size(); ++j)
      for (const std::int64_t version : before[j].read) last = std::max(last, version);
    for (std::ptrdiff_t j = 0; j < first_barrier; ++j)
      for (const std::int64_t version : uses[static_cast<std::size_t>(j)].read)
        last = std::max(last, version);
    return last;
  }

  const For& loop_;
  const std::vector<Stmt>& before_;
  std::vector<Buffer> memory_;
  std::optional<Versions> versions_;
  bool is_known_ = true;
};

class Waiting {
 public:
  Stmt run(const Stmt& s) {
    const auto* sequence = s.as<Seq>();
    if (sequence != nullptr) {
      const std::vector<Stmt>& all = sequence->statements;
      for (std::size_t i = 0; i < all.size(); ++i) {
        const auto* loop = all[i].as<For>();
        if (loop == nullptr || !loop->annotations.contains(arith::pipeline_lead_key)) continue;
        const std::vector<Stmt> before(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(i));
        PipelineCopies copies(*loop, before);
        auto out = copies.with_waits(i + 1 < all.size() && is_block_barrier(all[i + 1]));
        if (!out) continue;
        for (const Buffer& buffer : copies.memory()) memory_.push_back(buffer->data);
        out->insert(out->end(), all.begin() + static_cast<std::ptrdiff_t>(i) + 1, all.end());
        return make_seq(*std::move(out));
      }
    }
    const Stmt out = map_children(s, Mapper{.stmt = [&](const Stmt& part) { return run(part); }});
    const auto* allocate = out.as<Allocate>();
    if (allocate == nullptr || std::find(memory_.begin(), memory_.end(), allocate->data) == memory_.end())
      return out;
    Allocate noted = *allocate;
    noted.annotations[async_copies_key] = Attribute{make_int(1)};
    return noted;
  }

 private:
  std::vector<Var> memory_;  ///< that copies may fill while threads compute
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
