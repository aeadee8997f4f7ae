#include "ardea/runtime/module.h"

#include <set>

#include "ardea/support/text.h"

namespace ardea::runtime {

struct ModuleState {
  std::string name;
  std::vector<std::pair<std::string, Function>> functions;
  std::shared_ptr<const void> owner;
  std::vector<Module> imports;
};

Module::Module(std::string name, std::vector<std::pair<std::string, Function>> functions,
               std::shared_ptr<const void> owner, std::vector<Module> imports) {
  std::set<std::string_view> seen;
  for (auto& [function_name, function] : functions) {
    require(static_cast<bool>(function), "module {}: the function {} is null", name, function_name);
    require(seen.insert(function_name).second, "module {}: two functions are called {}; rename one", name,
            function_name);
    function = function.named(function_name);
  }
  state_ = std::make_shared<ModuleState>(
      ModuleState{std::move(name), std::move(functions), std::move(owner), std::move(imports)});
}

const std::string& Module::name() const { return state_->name; }

const std::vector<Module>& Module::imports() const { return state_->imports; }

std::optional<Function> Module::find_function(std::string_view name) const {
  for (const auto& [own_name, function] : state_->functions)
    if (own_name == name) return function;
  for (const Module& import : state_->imports)
    if (std::optional<Function> found = import.find_function(name)) return found;
  return std::nullopt;
}

Function Module::get_function(std::string_view name) const {
  require(state_ != nullptr, "get_function({}): the module is null", in_quotes(name));
  if (std::optional<Function> found = find_function(name)) return *std::move(found);
  const std::vector<std::string> names = function_names();
  fail("module {} has no function {}; it has {}", state_->name, in_quotes(name),
       names.empty() ? "none" : join(names, ", "));
}

std::vector<std::string> Module::function_names() const {
  std::vector<std::string> names;
  for (const auto& [name, function] : state_->functions) names.push_back(name);
  for (const Module& import : state_->imports)
    for (std::string& name : import.function_names()) names.push_back(std::move(name));
  return names;
}

Module::operator Value() const {
  if (!state_) return nullptr;
  return Value(Value::Stored{state_});
}

}  // namespace ardea::runtime
