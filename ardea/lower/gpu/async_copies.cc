#include <unordered_set>

#include "ardea/ir/guarded_copy.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/traverse.h"
#include "ardea/lower/gpu/copy_waits.h"
#include "ardea/lower/gpu/passes.h"

namespace ardea::lower {

namespace {

/// The first of elements that follow each other, and how many; nothing of others.
struct Row {
  Expr first;
  std::int64_t count = 1;
};
std::optional<Row> row_of(const std::vector<Expr>& indices) {
  if (indices.size() != 1) return std::nullopt;
  const DataType type = indices[0].type();
  if (type.is_scalar()) return Row{indices[0], 1};
  const auto* ramp = indices[0].as<Ramp>();
  if (ramp == nullptr || !is_one(ramp->stride)) return std::nullopt;
  return Row{ramp->base, type.lanes};
}

/// A store that only moves what lies in the device's memory, or zeros, as much at a time as the copy engine
/// takes.
std::optional<Stmt> as_async_copy(const Store& store, const target::CopyEngine& engine) {
  const auto copy = guarded_copy(store.value);
  const Load* load = copy ? copy->load : nullptr;
  if (load == nullptr || load->buffer->scope != "global" || !is_true(store.predicate) ||
      !is_true(load->predicate) || store.buffer->type != load->buffer->type || store.buffer->type.is_vector())
    return std::nullopt;
  const auto to = row_of(store.indices), from = row_of(load->indices);
  if (!to || !from || to->count != from->count) return std::nullopt;
  const std::int64_t bytes = store.buffer->type.bytes(to->count);
  const bool is_taken = bytes % engine.granule_bytes == 0 && (bytes & (bytes - 1)) == 0 &&
                        bytes <= engine.max_bytes.value_or(bytes);
  if (!is_taken) return std::nullopt;
  const auto address = [](const Buffer& buffer, const Expr& index) {
    return make_call("address_of", {make_load(buffer, {index})});
  };
  std::vector<Expr> arguments = {address(store.buffer, to->first), address(load->buffer, from->first),
                                 make_int(to->count)};
  if (!copy->condition.defined()) return Stmt(Evaluate{make_call("async_copy", arguments)});
  arguments.push_back(copy->condition);
  return Stmt(Evaluate{make_call("async_copy_or_zero", arguments)});
}

}  // namespace

Function async_copies(const Function& f, const target::Target& target) {
  const target::CopyEngine* engine = copy_engine(target);
  if (engine == nullptr) return f;
  std::unordered_set<Var> memory;
  visit_stmts(f.body, [&](const Stmt& s) {
    const auto* allocate = s.as<Allocate>();
    if (allocate != nullptr && allocate->annotations.contains(async_copies_key))
      memory.insert(allocate->data);
  });
  Function out = f;
  out.body = rewrite(f.body, Rewriter{.stmt = [&](const Stmt& s) -> std::optional<Stmt> {
                       const auto* store = s.as<Store>();
                       if (store == nullptr || !memory.contains(store->buffer->data)) return std::nullopt;
                       return as_async_copy(*store, *engine);
                     }});
  return out;
}

}  // namespace ardea::lower
