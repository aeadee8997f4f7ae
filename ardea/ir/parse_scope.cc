#include "ardea/ir/parse_scope.h"

namespace ardea {

void NameScopes::close() {
  auto& hidden = hidden_.back();
  for (auto entry = hidden.rbegin(); entry != hidden.rend(); ++entry) {
    if (entry->second)
      visible_[entry->first] = *entry->second;
    else
      visible_.erase(entry->first);
  }
  hidden_.pop_back();
}

void NameScopes::define(const std::string& name, Definition definition) {
  const auto found = visible_.find(name);
  hidden_.back().emplace_back(name, found == visible_.end() ? std::nullopt : std::optional(found->second));
  visible_[name] = std::move(definition);
}

const Definition* NameScopes::find(const std::string& name) const {
  const auto found = visible_.find(name);
  return found == visible_.end() ? nullptr : &found->second;
}

std::vector<std::string> NameScopes::names() const {
  std::vector<std::string> names;
  for (const auto& [name, definition] : visible_) names.push_back(name);
  return names;
}

}  // namespace ardea
