#include "ardea/lower/memory_ages.h"

#include <algorithm>

#include "ardea/ir/intrinsics.h"
#include "ardea/ir/traverse.h"

namespace ardea::lower {

MemoryAges::MemoryAges(const Function& f)
    : parameters_overlap_(integer_attribute(f.attributes, "tir.noalias", 0) == 0) {
  for (const Parameter& p : f.parameters)
    if (p.buffer.defined()) parameters_.insert(p.buffer->data);
  for (const Var& data : parameters_) ages_[data] = 0;
  // All memory has an age from the beginning, so that a call can renew what it may write.
  visit_stmts(f.body, [&](const Stmt& s) {
    if (const auto* declared = s.as<DeclareBuffer>()) ages_[declared->buffer->data] = 0;
    if (const auto* allocation = s.as<Allocate>()) allocations_.insert(allocation->data);
  });
}

const MemoryAges::Writes& MemoryAges::writes_of(const Stmt& s) {
  if (const auto found = writes_.find(s); found != writes_.end()) return found->second;
  Writes all;
  if (const auto* store = s.as<Store>()) all.data.push_back(store->buffer->data);
  for_each_child(
      s, [&](const Expr& e) { all.by_itself = all.by_itself || has_effect(e); },
      [&](const Stmt& part) {
        const Writes& inner = writes_of(part);
        all.anything = all.anything || inner.anything;
        for (const Var& data : inner.data)
          if (std::find(all.data.begin(), all.data.end(), data) == all.data.end()) all.data.push_back(data);
      });
  all.anything = all.anything || all.by_itself;
  return writes_.emplace(s, std::move(all)).first->second;
}

bool MemoryAges::may_write(const Stmt& s, const Var& data) {
  const Writes& writes = writes_of(s);
  if (writes.anything) return true;
  const auto is_parameter = [&](const Var& memory) { return parameters_.contains(memory); };
  // An address that the program computed leads anywhere.
  const auto is_known = [&](const Var& memory) {
    return is_parameter(memory) || allocations_.contains(memory);
  };
  return std::any_of(writes.data.begin(), writes.data.end(), [&](const Var& written) {
    return written == data || !is_known(written) || !is_known(data) ||
           (parameters_overlap_ && is_parameter(written) && is_parameter(data));
  });
}

void MemoryAges::renew(const Var& data) {
  if (parameters_overlap_ && parameters_.contains(data))
    for (const Var& other : parameters_) ages_[other] = now_;
  ages_[data] = now_;
}

void MemoryAges::pass(const Stmt& s) {
  ++now_;
  const Writes& writes = writes_of(s);
  for (const Var& data : writes.data) renew(data);
  if (!writes.anything) return;
  for (auto& [data, age] : ages_) age = now_;
}

}  // namespace ardea::lower
