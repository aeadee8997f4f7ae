#include "ardea/schedule/primitives/memory/set_scope.h"

#include <unordered_map>
#include <unordered_set>

#include "ardea/intrin/instruction.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/scope.h"
#include "ardea/ir/traverse.h"
#include "ardea/schedule/analysis/concurrency.h"
#include "ardea/schedule/primitives/memory/copy_block.h"
#include "ardea/schedule/program/allocation.h"
#include "ardea/schedule/program/refer.h"
#include "ardea/schedule/program/scope.h"
#include "ardea/schedule/program/touches.h"

namespace ardea::schedule {

namespace {

/// The data variables by which s knows the memory: its own, and those of matched parts.
std::unordered_set<Var> names_of_memory(const Stmt& s, const Var& data) {
  std::unordered_set<Var> names = {data};
  for (bool grown = true; grown;) {
    grown = false;
    visit_stmts(s, [&](const Stmt& part) {
      const auto* block = part.as<Block>();
      if (block == nullptr) return;
      for (const MatchBuffer& match : block->matches)
        if (names.contains(match.source.buffer->data))
          grown = names.insert(match.buffer->data).second || grown;
    });
  }
  return names;
}

Stmt moved(const Stmt& s, const Var& data, const std::string& scope) {
  const std::unordered_set<Var> names = names_of_memory(s, data);
  std::unordered_map<Buffer, Buffer> now;
  Rewriter rewriter;
  rewriter.buffer = [&](const Buffer& buffer) -> std::optional<Buffer> {
    if (!names.contains(buffer->data)) return std::nullopt;
    const auto [at, added] = now.try_emplace(buffer);
    if (added) {
      BufferNode node = *buffer;
      node.scope = scope;
      at->second = Buffer(std::move(node));
    }
    return at->second;
  };
  return rewrite(s, rewriter);
}

/// Refused where an instruction takes the memory from another scope only.
std::optional<Refusal> refuse_instructions(const Stmt& s, const Var& data, const std::string& scope) {
  const std::unordered_set<Var> names = names_of_memory(s, data);
  std::optional<Refusal> refusal;
  visit_exprs(s, [&](const Expr& e) {
    const auto* call = e.as<Call>();
    if (call == nullptr || call->op->name != "tensor_instruction") return;
    const auto& record = intrin::find_instruction(call->arguments.at(0).as<StringImm>()->value);
    auto operand = record.operands.begin();
    for (std::size_t i = 0; i < record.meaning.parameters.size(); ++i) {
      if (!record.meaning.parameters[i].buffer.defined()) continue;
      const std::string& wanted = (operand++)->scope;
      const auto* address = call->arguments.at(i + 1).as<Call>();
      const auto* corner = address != nullptr ? address->arguments.at(0).as<Load>() : nullptr;
      if (corner == nullptr || !names.contains(corner->buffer->data) || wanted.empty() || wanted == scope)
        continue;
      refusal = Refusal{"instruction_needs_scope",
                        fmt::format("the tensor instruction {} takes {} from scope \"{}\" only", record.name,
                                    corner->buffer->name, wanted)};
    }
  });
  return refusal;
}

}  // namespace

Outcome apply(const Function& f, const SetScope& step, Context& context) {
  const Path path = ARDEA_TRY(refer(f, step.block));
  if (path.size() == 1) return Refusal{"root_block", "the root block writes nothing itself"};
  ARDEA_TRY(refuse_unknown_scope(step.storage_scope));
  const Buffer buffer = ARDEA_TRY(buffer_at(path.block(), Side::write, step.buffer_index));
  Allocation allocation = ARDEA_TRY(allocation_of(f, buffer));
  const auto& [owner, allocated] = allocation;
  ARDEA_TRY(refuse_instructions(owner.back(), allocated->data, step.storage_scope));
  const bool shared_by_more = *scope_rank(step.storage_scope) < *scope_rank(allocated->scope);
  const Function program = with(f, owner, moved(owner.back(), allocated->data, step.storage_scope));
  if (!shared_by_more) return Applied{program};
  const Path scope = *path_to(program, BlockRef{owner.block().id});
  for (const Buffer& now : scope.block().allocations)
    if (now->data == allocated->data)
      for (const Touch& touch : touches(scope, now))
        ARDEA_TRY(context.judge(refuse_races_around(program, touch.path)));
  return Applied{program};
}

}  // namespace ardea::schedule
