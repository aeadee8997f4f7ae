#include "ardea/intrin/written_parameters.h"

#include <unordered_map>
#include <unordered_set>

#include "ardea/intrin/instruction.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/traverse.h"
#include "ardea/support/error.h"

namespace ardea::intrin {

namespace {

class WrittenMemory {
 public:
  explicit WrittenMemory(const Stmt& body) {
    visit_stmts(body, [&](const Stmt& s) {
      if (const auto* block = s.as<Block>())
        for (const MatchBuffer& match : block->matches)
          matched_[match.buffer->data] = memory_of(match.source.buffer);
    });
    visit_stmts(body, [&](const Stmt& s) {
      if (const auto* store = s.as<Store>()) written_.insert(memory_of(store->buffer));
      for_each_child(s, [&](const Expr& e) { visit(e); }, [](const Stmt&) {});
    });
  }

  bool has(const Parameter& p) const {
    return p.buffer.defined() && (written_.contains(p.buffer->data) || written_.contains(p.var));
  }

 private:
  /// A match of a match is the first one's source: blocks are met from the outside in.
  Var memory_of(const Buffer& buffer) const {
    const auto source = matched_.find(buffer->data);
    return source == matched_.end() ? buffer->data : source->second;
  }

  void visit(const Expr& e) {
    if (!seen_.insert(e).second) return;
    if (e.is<VarNode>()) {
      if (e.type().is_handle()) written_.insert(Var(e));
      return;
    }
    const auto* call = e.as<Call>();
    if (call != nullptr && call->op->name == "tensor_instruction") return visit_operands(*call);
    if (call != nullptr && call->op->name == "prefetch") {  // touches nothing
      for (const Expr& argument : call->arguments) visit_read(argument);
      return;
    }
    if (call != nullptr && (call->op->effect == Effect::writes || call->op->name == "address_of"))
      for (const Buffer& buffer : buffers_in(e)) written_.insert(memory_of(buffer));
    for_each_child(e, [&](const Expr& part) { visit(part); });
  }

  /// The name of the instruction, then what stands for each of its parameters.
  void visit_operands(const Call& call) {
    const auto* name = call.arguments.empty() ? nullptr : call.arguments[0].as<StringImm>();
    require(name != nullptr, "T.tensor_instruction must name its instruction first");
    const Function& meaning = find_instruction(name->value).meaning;
    const WrittenMemory inside(meaning.body);
    for (std::size_t i = 0; i < meaning.parameters.size() && i + 1 < call.arguments.size(); ++i) {
      const Expr& operand = call.arguments[i + 1];
      if (inside.has(meaning.parameters[i])) {
        for (const Buffer& buffer : buffers_in(operand)) written_.insert(memory_of(buffer));
        visit(operand);
      } else {
        visit_read(operand);
      }
    }
  }

  /// An address that nobody writes through; the place that it has may be computed by anything.
  void visit_read(const Expr& operand) {
    const auto* address = operand.as<Call>();
    if (address == nullptr || address->op->name != "address_of") return visit(operand);
    for_each_child(address->arguments[0], [&](const Expr& index) { visit(index); });
  }

  std::unordered_map<Var, Var> matched_;
  std::unordered_set<Var> written_;
  std::unordered_set<Expr> seen_;
};

}  // namespace

std::vector<bool> written_parameters(const Function& f) {
  const WrittenMemory written(f.body);
  std::vector<bool> all;
  for (const Parameter& p : f.parameters) all.push_back(written.has(p));
  return all;
}

}  // namespace ardea::intrin
