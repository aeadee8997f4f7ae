#include "ardea/lower/gpu/early_kernels.h"

#include <map>
#include <string>
#include <vector>

#include "ardea/intrin/instruction.h"
#include "ardea/intrin/written_parameters.h"
#include "ardea/ir/box_copy.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/print.h"
#include "ardea/ir/traverse.h"
#include "ardea/support/error.h"

namespace ardea::lower {

bool kernels_begin_early(const target::Target& target) { return target.has("sm90"); }

std::unordered_set<Var> memory_written(const Stmt& body) {
  std::unordered_set<Var> written;
  std::map<std::string, std::vector<bool>> written_by;  // the instruction of that name
  const auto note = [&](const Expr& address) {
    const auto* call = address.as<Call>();
    const auto* element = call != nullptr ? call->arguments.at(0).as<Load>() : nullptr;
    ensure(element != nullptr, "memory_written: {} stands in the place of an address", print(address));
    written.insert(element->buffer->data);
  };
  visit_stmts(body, [&](const Stmt& s) {
    if (const auto* store = s.as<Store>()) written.insert(store->buffer->data);
  });
  visit_exprs(body, [&](const Expr& e) {
    const auto* call = e.as<Call>();
    if (call == nullptr) return;
    const std::string& name = call->op->name;
    if (name == "async_copy" || name == "async_copy_or_zero" || is_copy_by_unit(*call))
      note(call->arguments[0]);
    if (name != "tensor_instruction") return;
    // The name of the instruction, then what stands for each of its parameters.
    const std::string& instruction = call->arguments.at(0).as<StringImm>()->value;
    const auto [at, is_new] = written_by.try_emplace(instruction);
    if (is_new) at->second = intrin::written_parameters(intrin::find_instruction(instruction).meaning);
    for (std::size_t i = 0; i < at->second.size(); ++i)
      if (at->second[i]) note(call->arguments.at(i + 1));
  });
  return written;
}

}  // namespace ardea::lower
