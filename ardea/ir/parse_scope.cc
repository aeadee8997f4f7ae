#include "ardea/ir/parse_scope.h"

#include <ranges>

namespace ardea {

void NameScopes::close() {
  for (const auto& [name, definition] : std::views::reverse(hidden_.back())) {
    if (definition)
      visible_[name] = *definition;
    else
      visible_.erase(name);
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
