#include "tests/campaign/compare.h"

#include <fmt/core.h>

#include <cmath>
#include <unordered_set>

#include "ardea/ir/intrinsics.h"
#include "ardea/ir/traverse.h"

namespace ardea::campaign {

namespace {

bool same_element(const runtime::Array& a, const runtime::Array& b, std::int64_t i) {
  if (a.get_bits(i) == b.get_bits(i)) return true;
  return a.type().is_float() && std::isnan(a.get_float(i)) && std::isnan(b.get_float(i));
}

std::string element_text(const runtime::Array& array, std::int64_t i) {
  if (array.type().is_float()) return fmt::format("{} (bits {:#x})", array.get_float(i), array.get_bits(i));
  return fmt::format("{}", array.get_int(i));
}

}  // namespace

std::string first_bit_difference(const Function& f, const std::vector<interp::Argument>& expected,
                                 const std::vector<interp::Argument>& got) {
  for (std::size_t p = 0; p < f.parameters.size(); ++p) {
    const auto* a = std::get_if<runtime::Array>(&expected[p]);
    const auto* b = std::get_if<runtime::Array>(&got[p]);
    if (a == nullptr || b == nullptr) continue;
    for (std::int64_t i = 0; i < a->element_count(); ++i)
      if (!same_element(*a, *b, i))
        return fmt::format("argument {} ({}), element {}: {} expected, {} found",
                           f.parameters[p].buffer->name, a->description(), i, element_text(*a, i),
                           element_text(*b, i));
  }
  return "";
}

bool is_bit_exact(const Function& f) {
  static const std::unordered_set<std::string> library = {
      "exp", "exp2", "exp10", "expm1", "log", "log2", "log10", "log1p", "rsqrt", "tanh", "sigmoid",
      "erf", "pow",  "sin",   "cos",   "tan", "asin", "acos",  "atan",  "sinh",  "cosh", "atan2"};
  bool exact = true;
  visit_exprs(f.body, [&](const Expr& e) {
    const auto* call = e.as<Call>();
    exact = exact && (call == nullptr || !library.contains(call->op->name));
  });
  return exact;
}

}  // namespace ardea::campaign
