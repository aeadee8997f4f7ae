#include "ardea/schedule/program/memory_use.h"

#include <algorithm>

#include "ardea/ir/intrinsics.h"
#include "ardea/ir/traverse.h"

namespace ardea::schedule {

namespace {

class Collection {
 public:
  explicit Collection(const std::function<bool(const Stmt&)>& skipped) : skipped_(skipped) {}
  MemoryUse take() { return std::move(use_); }

  void visit(const Stmt& s) {
    if (!s.defined() || (skipped_ && skipped_(s))) return;
    const auto* block = s.as<Block>();
    if (block != nullptr && block->reads && block->writes) return declared(*block);
    if (const auto* store = s.as<Store>()) use_.writes.insert(store->buffer->data);
    for_each_child(s, [&](const Expr& e) { visit(e); }, [&](const Stmt& part) { visit(part); });
  }

 private:
  void declared(const Block& block) {
    for (const BlockIterator& iterator : block.iterators) visit(iterator.binding);
    if (block.predicate.defined()) visit(block.predicate);
    for (const BufferRegion& region : *block.reads) use_.reads.insert(region.buffer->data);
    for (const BufferRegion& region : *block.writes) use_.writes.insert(region.buffer->data);
  }

  void visit(const Expr& e) {
    visit_exprs(e, [&](const Expr& part) {
      if (const auto* load = part.as<Load>()) use_.reads.insert(load->buffer->data);
      const auto* call = part.as<Call>();
      if (call != nullptr && call->op->name == "address_of")
        if (const auto* element = call->arguments[0].as<Load>()) use_.writes.insert(element->buffer->data);
      if (part.is<VarNode>() && part.type().is_handle()) {
        use_.reads.insert(Var(part));
        use_.writes.insert(Var(part));
      }
    });
  }

  const std::function<bool(const Stmt&)>& skipped_;
  MemoryUse use_;
};

}  // namespace

MemoryUse memory_use(const Stmt& s, const std::function<bool(const Stmt&)>& skipped) {
  Collection collection(skipped);
  collection.visit(s);
  return collection.take();
}

Memory memory_of(const std::vector<BufferRegion>& regions) {
  Memory memory;
  for (const BufferRegion& region : regions) memory.insert(region.buffer->data);
  return memory;
}

Memory common(const Memory& a, const Memory& b) {
  Memory both;
  std::copy_if(a.begin(), a.end(), std::inserter(both, both.end()),
               [&](const Var& data) { return b.contains(data); });
  return both;
}

bool contains(const std::vector<Buffer>& buffers, const Buffer& buffer) {
  return std::find(buffers.begin(), buffers.end(), buffer) != buffers.end();
}

bool meet(const Memory& a, const Memory& b) { return !common(a, b).empty(); }

}  // namespace ardea::schedule
