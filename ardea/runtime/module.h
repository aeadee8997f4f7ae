#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ardea/runtime/function.h"

namespace ardea::runtime {

/// Named functions that belong together, such as those of one compiled program, and the modules they were
/// built with. A handle: copies share. A default-constructed Module is null.
class Module {
 public:
  Module() = default;

  /// Two functions of one name are an Error. `owner` keeps alive what the functions need.
  Module(std::string name, std::vector<std::pair<std::string, Function>> functions,
         std::shared_ptr<const void> owner = nullptr, std::vector<Module> imports = {});

  explicit operator bool() const { return state_ != nullptr; }
  const std::string& name() const;

  /// The module's own functions first, then its imports', in order.
  std::optional<Function> find_function(std::string_view name) const;

  /// As find_function, but an unknown name is an Error with the names there are.
  Function get_function(std::string_view name) const;

  std::vector<std::string> function_names() const;  ///< in the order given, imports after
  const std::vector<Module>& imports() const;

  operator Value() const;

 private:
  friend struct FromValue<Module>;
  explicit Module(std::shared_ptr<const ModuleState> state) : state_(std::move(state)) {}

  std::shared_ptr<const ModuleState> state_;
};

template <>
struct FromValue<Module> {
  static std::string expected() { return "a module"; }
  static std::optional<Module> from(const Value& value) {
    const auto* state = std::get_if<std::shared_ptr<const ModuleState>>(&value.storage());
    return state ? std::optional(Module(*state)) : std::nullopt;
  }
};

}  // namespace ardea::runtime
