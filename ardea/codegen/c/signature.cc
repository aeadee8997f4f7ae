#include "ardea/codegen/c/signature.h"

#include <fmt/core.h>

#include <map>
#include <optional>
#include <vector>

#include "ardea/ir/intrinsics.h"
#include "ardea/ir/print.h"
#include "ardea/ir/traverse.h"
#include "ardea/runtime/dlpack.h"
#include "ardea/support/text.h"

namespace ardea::codegen::c {

namespace {

struct Argument {
  std::string name, type;
  std::map<std::int64_t, std::string> extents;
};
using Arguments = std::map<std::int64_t, Argument>;

const Call* call_of(const Expr& e, const char* name) {
  const auto* call = e.as<Call>();
  return call != nullptr && call->op->name == name ? call : nullptr;
}

/// i where e is abi_argument(i), with casts and choices around it.
std::optional<std::int64_t> argument_in(const Expr& e) {
  std::optional<std::int64_t> found;
  visit_exprs(e, [&](const Expr& part) {
    if (const Call* call = call_of(part, "abi_argument"); call != nullptr && !found)
      found = constant_int(call->arguments[0]);
  });
  return found;
}

std::string element_name(std::int64_t word) {
  try {
    const DLDataType type{static_cast<std::uint8_t>(word >> 24), static_cast<std::uint8_t>(word >> 16 & 0xff),
                          static_cast<std::uint16_t>(word & 0xffff)};
    return to_string(runtime::from_dl_type(type));
  } catch (const std::exception&) {
    return "?";
  }
}

/// What a check demands: argument's type or extent is not … : fail.
void read_check(const Expr& condition, Arguments& arguments) {
  const auto* binary = condition.as<Binary>();
  if (binary == nullptr || binary->op != BinaryOp::ne) return;
  const auto index = argument_in(binary->left);
  if (!index) return;
  const auto number = constant_int(binary->right);
  if (call_of(binary->left, "abi_tensor_type") != nullptr && number)
    arguments[*index].type = element_name(*number);
  if (const Call* shape = call_of(binary->left, "abi_tensor_shape"))
    if (const auto dimension = constant_int(shape->arguments[1]))
      arguments[*index].extents[*dimension] = print(binary->right);
}

void read_let(const LetStmt& let, Arguments& arguments) {
  if (call_of(let.value, "abi_tensor_shape") != nullptr || call_of(let.value, "abi_tensor_stride") != nullptr)
    return;
  const auto index = argument_in(let.value);
  if (!index) return;
  Argument& argument = arguments[*index];
  if (!argument.name.empty()) return;
  argument.name = let.var.name();
  if (!let.var.type().is_handle()) argument.type = to_string(let.var.type());
}

}  // namespace

std::string signature_comment(const Function& f) {
  Arguments arguments;
  visit_stmts(f.body, [&](const Stmt& s) {
    if (const auto* branch = s.as<If>()) read_check(branch->condition, arguments);
    if (const auto* let = s.as<LetStmt>()) read_let(*let, arguments);
  });
  std::vector<std::string> parts;
  for (const auto& [index, argument] : arguments) {
    std::vector<std::string> extents;
    for (const auto& [dimension, extent] : argument.extents) extents.push_back(extent);
    parts.push_back(argument.name + (argument.type.empty() ? "" : ": " + argument.type) +
                    (extents.empty() ? "" : "[" + join(extents, ", ") + "]"));
  }
  std::string out = "/* " + f.name + "(", line = out;
  out.clear();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string part = parts[i] + (i + 1 < parts.size() ? ", " : "");
    if (line.size() + part.size() > 112) {
      out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
      line = " *     ";
    }
    line += part;
  }
  return out + line + ") */\n";
}

}  // namespace ardea::codegen::c
