#include "ardea/runtime/registry.h"

#include <map>
#include <mutex>
#include <shared_mutex>

#include "ardea/support/text.h"

namespace ardea::runtime {

namespace {

struct Registry {
  std::shared_mutex mutex;
  std::map<std::string, Function, std::less<>> functions;
};

Registry& registry() {
  // Never destroyed: a thread that still runs at exit may call a registered function.
  static Registry* const instance = new Registry;
  return *instance;
}

}  // namespace

void register_function(const std::string& name, const Function& function, bool replace) {
  require(!name.empty(), "register_function: the name is empty");
  require(static_cast<bool>(function), "register_function({}): the function is null", in_quotes(name));
  Function named = function.named(name);
  std::unique_lock lock(registry().mutex);
  const auto [entry, is_new] = registry().functions.try_emplace(name, named);
  require(is_new || replace, "register_function({}): the name is taken; choose another, or pass replace=true",
          in_quotes(name));
  entry->second = std::move(named);
}

std::optional<Function> find_function(std::string_view name) {
  std::shared_lock lock(registry().mutex);
  const auto found = registry().functions.find(name);
  return found == registry().functions.end() ? std::nullopt : std::optional(found->second);
}

Function get_function(std::string_view name) {
  if (std::optional<Function> found = find_function(name)) return *std::move(found);
  const std::string hint = did_you_mean(name, registered_names());
  fail("no function is registered as {}{}", in_quotes(name),
       hint.empty() ? "; register_function makes one known" : hint);
}

std::vector<std::string> registered_names() {
  std::shared_lock lock(registry().mutex);
  std::vector<std::string> names;
  for (const auto& [name, function] : registry().functions) names.push_back(name);
  return names;
}

}  // namespace ardea::runtime
