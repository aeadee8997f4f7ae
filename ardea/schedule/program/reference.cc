#include "ardea/schedule/program/reference.h"

#include <fmt/core.h>

#include <atomic>

#include "ardea/support/overloaded.h"

namespace ardea::schedule {

NumberRef NumberRef::fresh(Expr value) {
  static std::atomic<std::uint64_t> last = 0;
  return {++last, std::move(value)};
}

Expr value_of(const Number& number, DataType type) {
  if (const auto* written = std::get_if<std::int64_t>(&number)) return make_int(*written, type);
  const Expr& value = std::get<NumberRef>(number).value;
  if (const auto constant = constant_int(value)) return make_int(*constant, type);
  return make_cast(type, value);
}

std::string key_of(const Reference& reference) {
  return std::visit(overloaded{
                        [](const BlockRef& block) { return fmt::format("b{}", block.id.value); },
                        [](const LoopRef& loop) {
                          const Var& identity = loop.sample.defined() ? loop.sample : loop.var;
                          return fmt::format("l{}", static_cast<const void*>(identity.get()));
                        },
                        [](const NumberRef& number) { return fmt::format("v{}", number.id); },
                    },
                    reference);
}

}  // namespace ardea::schedule
