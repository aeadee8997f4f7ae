#include <algorithm>

#include "ardea/arith/pipelined_loops.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/traverse.h"
#include "ardea/lower/gpu/launch.h"
#include "ardea/lower/gpu/passes.h"

namespace ardea::lower {

namespace {

Stmt call_of(const char* name, std::vector<Expr> arguments) {
  return Evaluate{make_call(name, std::move(arguments))};
}
Stmt commit() { return call_of("async_commit", {}); }
Stmt wait_until(std::int64_t groups) { return call_of("async_wait", {make_int(groups)}); }

/// The first of elements that follow each other, and how many; nothing of others.
struct Row {
  Expr first;
  std::int64_t count = 1;
};
std::optional<Row> row_of(const std::vector<Expr>& indices) {
  if (indices.size() != 1) return std::nullopt;
  if (indices[0].type().is_scalar()) return Row{indices[0], 1};
  const auto* ramp = indices[0].as<Ramp>();
  if (ramp == nullptr || !is_one(ramp->stride)) return std::nullopt;
  return Row{ramp->base, indices[0].type().lanes};
}

/// A store that only moves what lies in the device's memory to shared memory, as much at a time as the copy
/// engine takes.
std::optional<Stmt> as_async_copy(const Store& store, const target::CopyEngine& engine) {
  const auto* load = store.value.as<Load>();
  if (load == nullptr || !is_block_memory(store.buffer->scope) || load->buffer->scope != "global" ||
      !is_true(store.predicate) || !is_true(load->predicate) || store.buffer->type != load->buffer->type ||
      store.buffer->type.is_vector())
    return std::nullopt;
  const auto to = row_of(store.indices), from = row_of(load->indices);
  if (!to || !from || to->count != from->count) return std::nullopt;
  const std::int64_t bytes = store.buffer->type.bytes(to->count);
  if (bytes % engine.granule_bytes != 0 || (bytes & (bytes - 1)) != 0 ||
      bytes > engine.max_bytes.value_or(bytes))
    return std::nullopt;
  return call_of("async_copy",
                 {make_call("address_of", {make_load(store.buffer, {to->first})}),
                  make_call("address_of", {make_load(load->buffer, {from->first})}), make_int(to->count)});
}

/// The shared memory that s fills by nothing but such copies.
std::vector<Var> memory_of_copies(const Stmt& s, const target::CopyEngine& engine) {
  std::vector<Var> copied, other;
  visit_stmts(s, [&](const Stmt& part) {
    const auto* store = part.as<Store>();
    if (store == nullptr || !is_block_memory(store->buffer->scope)) return;
    (as_async_copy(*store, engine) ? copied : other).push_back(store->buffer->data);
  });
  std::erase_if(copied,
                [&](const Var& data) { return std::find(other.begin(), other.end(), data) != other.end(); });
  return copied;
}

bool fills(const Stmt& s, const std::vector<Var>& memory) {
  bool found = false;
  visit_stmts(s, [&](const Stmt& part) {
    const auto* store = part.as<Store>();
    found = found || (store != nullptr &&
                      std::find(memory.begin(), memory.end(), store->buffer->data) != memory.end());
  });
  return found;
}

class AsyncCopies {
 public:
  explicit AsyncCopies(const target::CopyEngine& engine) : engine_(engine) {}

  Stmt run(const Stmt& s) const {
    if (const auto* sequence = s.as<Seq>()) {
      for (std::size_t i = 0; i < sequence->statements.size(); ++i) {
        const auto* loop = sequence->statements[i].as<For>();
        if (loop != nullptr && loop->annotations.contains(arith::pipeline_lead_key))
          if (const auto changed = pipelined(*sequence, i, *loop)) return *changed;
      }
    }
    return map_children(s, Mapper{.stmt = [&](const Stmt& part) { return run(part); }});
  }

 private:
  /// The sequence with the loop at `at`, the steady state of a pipeline: what fills it before, and what it
  /// fills for later iterations, is under way while threads compute. Nothing where there is nothing to gain.
  std::optional<Stmt> pipelined(const Seq& sequence, std::size_t at, const For& loop) const {
    const std::vector<Stmt>& all = sequence.statements;
    const auto* body = loop.body.as<Seq>();
    const std::vector<Var> memory = memory_of_copies(loop.body, engine_);
    if (body == nullptr || memory.empty()) return std::nullopt;
    const auto is_barrier = [](const Stmt& s) { return is_block_barrier(s); };
    if (std::none_of(body->statements.begin(), body->statements.end(), is_barrier)) return std::nullopt;
    const std::int64_t lead = integer_attribute(loop.annotations, arith::pipeline_lead_key, 1);
    std::vector<Stmt> out;
    std::vector<Var> open;  // filled since the last group was closed: an iteration fills each memory once
    const auto close = [&] {
      if (!open.empty()) out.push_back(commit());
      open.clear();
    };
    bool is_pending = false;  // copies that no barrier has followed
    for (std::size_t i = 0; i < at; ++i) {
      for (const Var& data : memory) {
        if (!fills(all[i], {data})) continue;
        if (std::find(open.begin(), open.end(), data) != open.end()) close();
        open.push_back(data);
        is_pending = true;
      }
      if (is_block_barrier(all[i]) && is_pending) {
        close();
        out.push_back(wait_until(lead - 1));
        is_pending = false;
      }
      out.push_back(copying(all[i], memory));
    }
    close();
    if (is_pending) {
      out.push_back(wait_until(lead - 1));
      out.push_back(make_block_barrier());
    }
    out.push_back(steady(loop, *body, memory, lead));
    // What comes behind has waited for no barrier since the last copies landed.
    out.push_back(wait_until(0));
    out.push_back(make_block_barrier());
    for (std::size_t i = at + 1; i < all.size(); ++i) out.push_back(all[i]);
    return make_seq(std::move(out));
  }

  /// Each iteration's copies are a group. At a barrier those have landed that the next iteration reads: all
  /// but the ones of as many groups as iterations lie between, less one.
  Stmt steady(const For& loop, const Seq& body, const std::vector<Var>& memory, std::int64_t lead) const {
    std::size_t last = 0;
    for (std::size_t i = 0; i < body.statements.size(); ++i)
      if (fills(body.statements[i], memory)) last = i;
    std::vector<Stmt> out;
    for (std::size_t i = 0; i < body.statements.size(); ++i) {
      if (is_block_barrier(body.statements[i])) out.push_back(wait_until(lead - 1));
      out.push_back(copying(body.statements[i], memory));
      if (i == last) out.push_back(commit());
    }
    For changed = loop;
    changed.body = make_seq(std::move(out));
    return changed;
  }

  Stmt copying(const Stmt& s, const std::vector<Var>& memory) const {
    return rewrite(s, Rewriter{.stmt = [&](const Stmt& part) -> std::optional<Stmt> {
                     const auto* store = part.as<Store>();
                     if (store == nullptr ||
                         std::find(memory.begin(), memory.end(), store->buffer->data) == memory.end())
                       return std::nullopt;
                     return as_async_copy(*store, engine_);
                   }});
  }

  const target::CopyEngine& engine_;
};

}  // namespace

Function async_copies(const Function& f, const target::Target& target) {
  const auto& engines = target.gpu->copy_engines;
  const auto engine = std::find_if(engines.begin(), engines.end(),
                                   [](const target::CopyEngine& one) { return one.name == "cp_async"; });
  if (engine == engines.end()) return f;
  Function out = f;
  out.body = AsyncCopies(*engine).run(f.body);
  return out;
}

}  // namespace ardea::lower
