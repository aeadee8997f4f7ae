#include <algorithm>
#include <utility>

#include "ardea/codegen/cuda/emitter.h"
#include "ardea/intrin/instruction.h"
#include "ardea/ir/box_copy.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/traverse.h"

/// Products of groups of warps go on while their threads do something else: they are waited for where that
/// may matter. What a thread has to do to ask for boxes is done meanwhile: a product behind the copies knows
/// nothing of them, as a wait and a barrier are between a copy and all that meets what it brings. Copies by
/// threads are asked for at once: held back, they come later for it.

namespace ardea::codegen::cuda {

namespace {

const Call* call_of(const Stmt& s) {
  const auto* evaluate = s.as<Evaluate>();
  return evaluate == nullptr ? nullptr : evaluate->value.as<Call>();
}

/// Whether all that s does is such calls; conditions and bounds of loops are asked around them.
bool does_nothing_but(const Stmt& s, bool (*is_wanted)(const Call&)) {
  if (s.is<For>() || s.is<If>() || s.is<Seq>() || s.is<DeclareBuffer>() || s.is<LetStmt>()) {
    bool is_so = true;
    for_each_child(
        s, [](const Expr&) {}, [&](const Stmt& part) { is_so = is_so && does_nothing_but(part, is_wanted); });
    return is_so;
  }
  const Call* call = call_of(s);
  return call != nullptr && is_wanted(*call);
}

bool is_product_of_group(const Call& call) {
  return call.op->name == "tensor_instruction" &&
         intrin::find_instruction(call.arguments.at(0).as<StringImm>()->value).warps > 1;
}

/// Behind the statement of that place: whether the next wait is for earlier copies only. Time matters for a
/// copy that is waited for at once.
bool next_wait_leaves_some(const std::vector<Stmt>& statements, std::size_t place) {
  for (std::size_t i = place + 1; i < statements.size(); ++i)
    if (const Call* call = call_of(statements[i]); call != nullptr && call->op->name == "async_wait")
      return !is_zero(call->arguments[0]);
  return false;
}

bool has_condition(const Stmt& s) {
  bool found = false;
  visit_stmts(s, [&](const Stmt& part) { found = found || part.is<If>(); });
  return found;
}

}  // namespace

void Emitter::emit(const Stmt& s) {
  if (const auto* parts = s.as<Seq>()) {
    const bool outer = std::exchange(may_ask_later_, true);
    for (std::size_t i = 0; i < parts->statements.size(); ++i) {
      may_ask_later_ = next_wait_leaves_some(parts->statements, i);
      emit(parts->statements[i]);
    }
    may_ask_later_ = outer;
    return;
  }
  if (s.is<DeclareBuffer>()) {
    emit_alone(s);
    return;
  }
  const Call* call = call_of(s);
  const bool closes_group = call != nullptr && call->op->name == "async_commit" && !asked_.empty();
  if (closes_group || (may_ask_later_ && does_nothing_but(s, is_copy_by_unit))) {
    wait_for_products();  // they come before the copies
    std::vector<std::string> before = std::exchange(lines_, {}), asked = std::exchange(asked_, {});
    emit_alone(s);
    asked.insert(asked.end(), lines_.begin(), lines_.end());
    lines_ = std::move(before), asked_ = std::move(asked);
    return;
  }
  if (does_nothing_but(s, is_product_of_group) && !has_condition(s)) {
    emit_alone(s);
    return;
  }
  ask_for_copies();
  const bool only_waits = call != nullptr && call->op->name == "async_wait";
  if (!only_waits) wait_for_products();
  emit_alone(s);
}

void Emitter::emit_to_its_end(const Stmt& s) {
  emit(s);
  ask_for_copies();
  wait_for_products();
}

/// Products of one iteration go on while the next one's are asked for.
void Emitter::emit_iteration(const Stmt& body) {
  if (does_nothing_but(body, is_product_of_group) && !has_condition(body))
    emit(body);
  else
    emit_to_its_end(body);
}

void Emitter::ask_for_copies() {
  add_lines(asked_);
  asked_.clear();
}

void Emitter::note_product(const Call& call, const intrin::Instruction& record) {
  if (record.warps == 1) return;
  for (std::size_t i = 1; i < call.arguments.size(); ++i) {
    const auto* address = call.arguments[i].as<Call>();
    if (address == nullptr || address->op->name != "address_of") continue;
    const Var& memory = element_at(call.arguments[i]).buffer->data;
    const bool is_known =
        std::find(sums_under_way_.begin(), sums_under_way_.end(), memory) != sums_under_way_.end();
    if (fragments_.contains(memory) && !is_known) sums_under_way_.push_back(memory);
  }
}

void Emitter::wait_for_products() {
  for (const Var& sums : sums_under_way_)
    line(fmt::format("{}({});", helpers_.need("wait_for_products"), names_.of(sums)));
  sums_under_way_.clear();
}

}  // namespace ardea::codegen::cuda
