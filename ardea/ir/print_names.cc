#include "ardea/ir/print_names.h"

#include <algorithm>
#include <ranges>

#include "ardea/ir/lex.h"

namespace ardea {

namespace {

// Names that a text may define, but that would then hide what the grammar gives them.
constexpr std::string_view taken_by_the_grammar[] = {"T", "I", "range"};

std::string with_letters_and_digits(const std::string& name) {
  std::string out;
  for (const char c : name) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    const bool digit = c >= '0' && c <= '9';
    if (digit && out.empty()) out += "v";
    out += letter || digit ? c : '_';
  }
  return out.empty() ? "v" : out;
}

}  // namespace

std::string identifier(const std::string& name) {
  std::string out = with_letters_and_digits(name);
  const bool taken = std::find(std::begin(taken_by_the_grammar), std::end(taken_by_the_grammar), out) !=
                     std::end(taken_by_the_grammar);
  if (taken || is_keyword(out)) out += "_";
  return out;
}

void PrintNames::close() {
  Scope& scope = scopes_.back();
  for (const std::string& name : scope.names) taken_.erase(name);
  for (const auto& [key, name] : std::views::reverse(scope.hidden)) {
    if (name.empty())
      names_.erase(key);
    else
      names_[key] = name;
  }
  scopes_.pop_back();
}

std::string PrintNames::unique(const std::string& wanted) const {
  const std::string base = reader_ == Reader::people ? with_letters_and_digits(wanted) : identifier(wanted);
  std::string name = base;
  for (int i = 1; taken_.contains(name); ++i) name = base + "_" + std::to_string(i);
  return name;
}

void PrintNames::bind(const Thing& thing, std::string name, std::size_t scope) {
  const auto found = names_.find(thing);
  scopes_[scope].hidden.emplace_back(thing, found == names_.end() ? "" : found->second);
  names_[thing] = std::move(name);
}

void PrintNames::reserve(const std::string& name, std::size_t scope) {
  taken_.insert(name);
  scopes_[scope].names.push_back(name);
}

std::string PrintNames::define(const Var& var) {
  std::string name = unique(var.name());
  reserve(name, scopes_.size() - 1);
  bind(var, name, scopes_.size() - 1);
  return name;
}

std::string PrintNames::define_view(const Buffer& buffer) {
  std::string name = unique(buffer->name);
  reserve(name, scopes_.size() - 1);
  bind(buffer, name, scopes_.size() - 1);
  return name;
}

std::string PrintNames::define_owner(const Buffer& buffer) {
  std::string name = define_view(buffer);
  bind(buffer->data, name + ".data", scopes_.size() - 1);
  return name;
}

std::string PrintNames::of(const Expr& var) {
  const auto found = names_.find(Thing(var));
  if (found != names_.end()) return found->second;
  std::string name = unique(Var(var).name());
  reserve(name, 0);
  bind(var, name, 0);
  return name;
}

std::string PrintNames::of(const Buffer& buffer) {
  const auto found = names_.find(Thing(buffer));
  if (found != names_.end()) return found->second;
  std::string name = unique(buffer->name);
  reserve(name, 0);
  bind(buffer, name, 0);
  return name;
}

}  // namespace ardea
