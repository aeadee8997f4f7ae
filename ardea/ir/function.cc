#include "ardea/ir/function.h"

#include <unordered_set>

#include "ardea/ir/traverse.h"

namespace ardea {

const Function* Module::find(const std::string& function_name) const {
  for (const Function& f : functions)
    if (f.name == function_name) return &f;
  return nullptr;
}

std::vector<Var> shape_variables(const Function& f) {
  std::unordered_set<Expr> seen;
  for (const Parameter& p : f.parameters) {
    seen.insert(p.var);
    if (p.buffer.defined()) seen.insert(p.buffer->data);
  }
  std::vector<Var> found;
  const auto collect = [&](const Expr& e) {
    visit_exprs(e, [&](const Expr& x) {
      if (x.is<VarNode>() && seen.insert(x).second) found.emplace_back(x);
    });
  };
  for (const Parameter& p : f.parameters) {
    if (!p.buffer.defined()) continue;
    for (const Expr& extent : p.buffer->shape) collect(extent);
    for (const Expr& stride : p.buffer->strides) collect(stride);
    if (p.buffer->element_offset.defined()) collect(p.buffer->element_offset);
  }
  return found;
}

const Block* root_block(const Function& f) {
  const auto* block = f.body.as<Block>();
  return block != nullptr && block->iterators.empty() ? block : nullptr;
}

}  // namespace ardea
