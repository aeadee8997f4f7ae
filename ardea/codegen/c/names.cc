#include "ardea/codegen/c/names.h"

#include <algorithm>

#include "ardea/support/error.h"

namespace ardea::codegen::c {

bool is_leaf(const Expr& e) {
  return e.is<VarNode>() || e.is<IntImm>() || e.is<FloatImm>() || e.is<StringImm>();
}

bool is_worth_a_name(const std::string& text, bool is_shared) {
  constexpr std::size_t longest_shared = 24, longest = 160;
  return text.size() > (is_shared ? longest_shared : longest);
}

namespace {

const std::unordered_set<std::string>& reserved_words() {
  static const std::unordered_set<std::string> words = {
      // C11
      "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum",
      "extern", "float", "for", "goto", "if", "inline", "int", "long", "register", "restrict", "return",
      "short", "signed", "sizeof", "static", "struct", "switch", "typedef", "union", "unsigned", "void",
      "volatile", "while",
      // and what some compilers add to it
      "asm", "typeof", "linux", "unix", "nullptr", "constexpr", "thread_local", "alignas", "alignof",
      "static_assert",
      // macros of the headers
      "bool", "true", "false", "NULL", "NAN", "INFINITY", "HUGE_VAL", "HUGE_VALF", "HUGE_VALL", "MAXFLOAT",
      "DOMAIN", "SING", "OVERFLOW", "UNDERFLOW", "PLOSS", "TLOSS", "signbit", "isnan", "isinf", "isfinite",
      "isnormal",
      // functions that the text calls
      "memcpy", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "tanh", "erf", "pow", "sin",
      "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "atan2", "floor", "ceil", "round", "nearbyint",
      "trunc", "copysign", "fmod", "fabs", "fma", "ldexp",
      // parameters, locals and functions of the text itself
      "arguments", "type_codes", "count", "result", "result_code", "closure", "context", "begin", "end",
      "lane", "fail", "tensor_of", "tensor_data", "tensor_stride", "tensor_type"};
  return words;
}

/// Helpers and vector types end in the name of a type: floor_div_int32, float32x8.
bool ends_in_type(const std::string& name) {
  const std::size_t at = name.rfind('_');
  return parse_data_type(at == std::string::npos ? name : name.substr(at + 1)).has_value();
}

bool begins_as_reserved(const std::string& name) {
  const auto begins = [&](const char* prefix) { return name.starts_with(prefix); };
  return begins("fail_with_") || begins("ardea_") || begins("Ardea") || begins("ARDEA_") || begins("FP_") ||
         begins("M_") || begins("_");
}

bool is_reserved(const std::string& name) {
  const auto& words = reserved_words();
  const bool single_precision = name.ends_with("f") && words.contains(name.substr(0, name.size() - 1));
  return words.contains(name) || single_precision || name.ends_with("_t") || ends_in_type(name) ||
         name.ends_with("_MIN") || name.ends_with("_MAX") || name.ends_with("_C");
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The name with everything replaced that C does not have in names.
std::string spelled(const std::string& name) {
  std::string out;
  for (const char c : name) out += is_letter(c) || is_digit(c) ? c : '_';
  // A number behind would not help against what is reserved by its beginning.
  if (out.starts_with("ardea_")) out.erase(0, std::string_view("ardea_").size());
  if (out.empty() || is_digit(out[0]) || begins_as_reserved(out)) out = "v" + out;
  return is_reserved(out) ? out + "_" : out;
}

}  // namespace

bool is_identifier(const std::string& name) {
  return !name.empty() && !is_digit(name[0]) &&
         std::all_of(name.begin(), name.end(), [](char c) { return is_letter(c) || is_digit(c); });
}

std::string Names::fresh(const std::string& wanted) {
  const std::string base = spelled(wanted);
  std::string name = base;
  for (int i = 1; taken_.contains(name) || file_names_->contains(name) || is_reserved(name); ++i)
    name = base + "_" + std::to_string(i);
  taken_.insert(name);
  blocks_.back().names.push_back(name);
  return name;
}

void Names::forget(const std::string& name) {
  taken_.erase(name);
  std::erase(blocks_.back().names, name);
}

std::string Names::define(const Var& var) {
  std::string name = fresh(var.name());
  names_[var] = name;
  blocks_.back().variables.push_back(var);
  return name;
}

void Names::close() {
  for (const std::string& name : blocks_.back().names) taken_.erase(name);
  for (const Var& var : blocks_.back().variables) names_.erase(var);
  blocks_.pop_back();
}

std::vector<Var> Names::variables() const {
  std::vector<Var> all;
  for (const Block& block : blocks_) all.insert(all.end(), block.variables.begin(), block.variables.end());
  return all;
}

const std::string& Names::of(const Var& var) const {
  const auto at = names_.find(var);
  ensure(at != names_.end(), "the C backend met the variable {}, which nothing defines", var.name());
  return at->second;
}

}  // namespace ardea::codegen::c
