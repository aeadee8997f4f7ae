#include "ardea/runtime/value.h"

#include "ardea/support/overloaded.h"
#include "ardea/support/text.h"

namespace ardea::runtime {

std::string Value::description() const {
  return std::visit(
      overloaded{
          [](std::nullptr_t) -> std::string { return "null"; },
          [](std::int64_t value) { return fmt::format("the integer {}", value); },
          [](double value) { return fmt::format("the float {}", value); },
          [](const std::string& text) { return "the string " + in_quotes(text); },
          [](const Array& array) { return "the array " + array.description(); },
          [](const std::shared_ptr<const FunctionState>&) -> std::string { return "a function"; },
          [](const std::shared_ptr<const ModuleState>&) -> std::string { return "a module"; },
          [](void*) -> std::string { return "a handle"; },
      },
      storage_);
}

}  // namespace ardea::runtime
