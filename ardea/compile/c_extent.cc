#include "ardea/compile/c_extent.h"

#include "ardea/ir/print.h"
#include "ardea/support/error.h"

namespace ardea::compile {

namespace {

/// Unsigned arithmetic wraps, as the program's does; signed overflow would be anything.
std::string wrapping(const std::string& a, const char* op, const std::string& b) {
  return fmt::format("(int64_t)((uint64_t){} {} (uint64_t){})", a, op, b);
}

}  // namespace

std::string c_extent(const Expr& e, const std::unordered_map<Expr, std::string>& names,
                     const std::string& where) {
  const auto part = [&](const Expr& x) { return c_extent(x, names, where); };
  if (const auto value = constant_int(e)) return fmt::format("INT64_C({})", *value);
  if (e.is<VarNode>()) {
    const auto name = names.find(e);
    ensure(name != names.end(), "{}: the variable {} of an extent is no parameter", where, print(e));
    return "(int64_t)" + name->second;
  }
  // A cast of an extent only widens: indices are computed in 64 bits whatever the text declares.
  if (const auto* cast = e.as<Cast>(); cast != nullptr && e.type().is_integer() && e.type().bits >= 32)
    return part(cast->value);
  if (const auto* binary = e.as<Binary>()) {
    const auto call = [&](const char* function) {
      return fmt::format("ardea_extent_{}({}, {})", function, part(binary->left), part(binary->right));
    };
    switch (binary->op) {
      case BinaryOp::add: return wrapping(part(binary->left), "+", part(binary->right));
      case BinaryOp::sub: return wrapping(part(binary->left), "-", part(binary->right));
      case BinaryOp::mul: return wrapping(part(binary->left), "*", part(binary->right));
      case BinaryOp::floor_div: return call("div");
      case BinaryOp::floor_mod: return call("mod");
      case BinaryOp::min: return call("min");
      case BinaryOp::max: return call("max");
      default: break;
    }
  }
  fail(
      "{}: the extent {} has no form in a C interface; make it a size of its own and compute it in the "
      "caller",
      where, print(e));
}

std::string c_extent_helpers(const std::string& text) {
  const std::pair<const char*, const char*> helpers[] = {
      {"ardea_extent_div",
       "static int64_t ardea_extent_div(int64_t a, int64_t b) {\n"
       "  if (b == 0) return 0;\n"
       "  if (b == -1) return (int64_t)(0 - (uint64_t)a);\n"
       "  return a / b - (a % b != 0 && (a % b < 0) != (b < 0));\n"
       "}\n"},
      {"ardea_extent_mod",
       "static int64_t ardea_extent_mod(int64_t a, int64_t b) {\n"
       "  if (b == 0) return a;\n"
       "  if (b == -1) return 0;\n"
       "  return a % b != 0 && (a % b < 0) != (b < 0) ? a % b + b : a % b;\n"
       "}\n"},
      {"ardea_extent_min",
       "static int64_t ardea_extent_min(int64_t a, int64_t b) { return a < b ? a : b; }\n"},
      {"ardea_extent_max",
       "static int64_t ardea_extent_max(int64_t a, int64_t b) { return a > b ? a : b; }\n"},
  };
  std::string functions;
  for (const auto& [name, definition] : helpers)
    if (text.find(std::string(name) + "(") != std::string::npos) functions += definition;
  return functions.empty() ? "" : functions + "\n";
}

}  // namespace ardea::compile
