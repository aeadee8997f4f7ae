#include "ardea/te/hybrid_names.h"

#include <cmath>

#include "ardea/support/error.h"
#include "ardea/support/overloaded.h"

namespace ardea::te {

BareNumber integer_number(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  return {std::to_string(value), false, value < 0, value < 0 ? 0 - bits : bits};
}

Operand as_operand(const Expr& e) {
  if (e.type() == int64)
    if (const auto constant = constant_int(e)) return {{}, integer_number(*constant)};
  return {e};
}

namespace {

Operand real_operand(double value) {
  if (!std::isfinite(value)) return {make_float(value)};
  return {{}, BareNumber{fmt::format("{}", std::abs(value)), true, std::signbit(value)}};
}

}  // namespace

HybridName meaning_of(const HybridArgument& argument) {
  using Kind = HybridName::Kind;
  return std::visit(
      overloaded{
          [](const Tensor& tensor) {
            return HybridName{.kind = Kind::input, .what = "an input", .buffer = tensor.buffer()};
          },
          [](const Expr& e) {
            require(e.defined(), "an argument is an empty expression");
            return HybridName{.what = "a parameter", .value = as_operand(e)};
          },
          [](std::int64_t number) {
            return HybridName{.what = "a parameter", .value = {{}, integer_number(number)}};
          },
          [](double number) { return HybridName{.what = "a parameter", .value = real_operand(number)}; },
          [](const HybridArgument::List& list) {
            return HybridName{.kind = Kind::list, .what = "a list", .list = list};
          },
      },
      argument.value);
}

void HybridNames::close() {
  for (const std::string& name : scopes_.back()) {
    gone_[name] = visible_.at(name).line;
    visible_.erase(name);
  }
  scopes_.pop_back();
}

void HybridNames::define(const std::string& name, HybridName meaning) {
  ensure(visible_.emplace(name, std::move(meaning)).second, "hybrid: {} is defined twice", name);
  scopes_.back().push_back(name);
}

const HybridName* HybridNames::find(const std::string& name) const {
  const auto found = visible_.find(name);
  return found == visible_.end() ? nullptr : &found->second;
}

std::optional<int> HybridNames::line_of_gone(const std::string& name) const {
  const auto found = gone_.find(name);
  return found == gone_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<std::string> HybridNames::names() const {
  std::vector<std::string> all;
  for (const auto& [name, meaning] : visible_) all.push_back(name);
  return all;
}

}  // namespace ardea::te
