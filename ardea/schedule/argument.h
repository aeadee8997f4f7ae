#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "ardea/schedule/program/reference.h"

/// The arguments of steps in a form that every primitive shares: what traces keep, scripts print and files
/// hold. A primitive's own struct is made from them and turned into them field by field (primitive.h).

namespace ardea::schedule {

/// None, a bool, a number, a string, a reference, or a list of these.
struct Argument {
  using Value = std::variant<std::monostate, bool, std::int64_t, double, std::string, BlockRef, LoopRef,
                             NumberRef, std::vector<Argument>>;
  Value value;

  Argument() = default;
  template <class T>  // implicit, so that annotate(loop, "key", 4) takes a number for what it is
    requires(!std::same_as<std::remove_cvref_t<T>, Argument> && std::constructible_from<Value, T>)
  Argument(T&& given) : value(std::forward<T>(given)) {}
};

/// A step that is about either.
using BlockOrLoop = std::variant<BlockRef, LoopRef>;

/// How a field of type T is written as an argument and read from one.
template <class T>
struct Convert;

template <class T>
struct ConvertPlain {
  static Argument to(const T& value) { return {value}; }
  static std::optional<T> from(const Argument& argument) {
    const T* value = std::get_if<T>(&argument.value);
    return value ? std::optional(*value) : std::nullopt;
  }
};

template <>
struct Convert<bool> : ConvertPlain<bool> {
  static std::string expected() { return "True or False"; }
};
template <>
struct Convert<std::int64_t> : ConvertPlain<std::int64_t> {
  static std::string expected() { return "an integer"; }
};
template <>
struct Convert<double> {
  static std::string expected() { return "a number"; }
  static Argument to(double value) { return {value}; }
  static std::optional<double> from(const Argument& argument) {
    if (const auto* whole = std::get_if<std::int64_t>(&argument.value)) return static_cast<double>(*whole);
    const auto* value = std::get_if<double>(&argument.value);
    return value ? std::optional(*value) : std::nullopt;
  }
};
template <>
struct Convert<std::string> : ConvertPlain<std::string> {
  static std::string expected() { return "a string"; }
};
template <>
struct Convert<BlockRef> : ConvertPlain<BlockRef> {
  static std::string expected() { return "a block"; }
};
template <>
struct Convert<LoopRef> : ConvertPlain<LoopRef> {
  static std::string expected() { return "a loop"; }
};

template <>
struct Convert<BlockOrLoop> {
  static std::string expected() { return "a block or a loop"; }
  static Argument to(const BlockOrLoop& either) {
    return std::visit([](const auto& reference) { return Argument{reference}; }, either);
  }
  static std::optional<BlockOrLoop> from(const Argument& argument) {
    if (const auto* block = std::get_if<BlockRef>(&argument.value)) return BlockOrLoop(*block);
    if (const auto* loop = std::get_if<LoopRef>(&argument.value)) return BlockOrLoop(*loop);
    return std::nullopt;
  }
};

/// Any value that is no block, no loop and not None.
template <>
struct Convert<Argument> {
  static std::string expected() { return "True, False, a number, a string or a list of these"; }
  static Argument to(const Argument& argument) { return argument; }
  static std::optional<Argument> from(const Argument& argument) {
    if (const auto* items = std::get_if<std::vector<Argument>>(&argument.value)) {
      for (const Argument& item : *items)
        if (!from(item)) return std::nullopt;
      return argument;
    }
    const bool is_value = !std::holds_alternative<std::monostate>(argument.value) &&
                          !std::holds_alternative<BlockRef>(argument.value) &&
                          !std::holds_alternative<LoopRef>(argument.value);
    return is_value ? std::optional(argument) : std::nullopt;
  }
};

template <>
struct Convert<Number> {
  static std::string expected() { return "an integer or a sampled number"; }
  static Argument to(const Number& number) {
    return std::visit([](const auto& value) { return Argument{value}; }, number);
  }
  static std::optional<Number> from(const Argument& argument) {
    if (const auto* written = std::get_if<std::int64_t>(&argument.value)) return Number(*written);
    if (const auto* sampled = std::get_if<NumberRef>(&argument.value)) return Number(*sampled);
    return std::nullopt;
  }
};

template <class T>
struct Convert<std::optional<T>> {
  static std::string expected() { return Convert<T>::expected() + " or None"; }
  static Argument to(const std::optional<T>& value) { return value ? Convert<T>::to(*value) : Argument{}; }
  static std::optional<std::optional<T>> from(const Argument& argument) {
    if (std::holds_alternative<std::monostate>(argument.value)) return std::optional<T>();
    std::optional<T> value = Convert<T>::from(argument);
    if (!value) return std::nullopt;
    return std::optional<std::optional<T>>(std::in_place, std::move(value));
  }
};

template <class T>
struct Convert<std::vector<T>> {
  static std::string expected() { return "a list, each of it " + Convert<T>::expected(); }
  static Argument to(const std::vector<T>& values) {
    std::vector<Argument> items;
    for (const T& value : values) items.push_back(Convert<T>::to(value));
    return {std::move(items)};
  }
  static std::optional<std::vector<T>> from(const Argument& argument) {
    const auto* items = std::get_if<std::vector<Argument>>(&argument.value);
    if (items == nullptr) return std::nullopt;
    std::vector<T> values;
    for (const Argument& item : *items) {
      std::optional<T> value = Convert<T>::from(item);
      if (!value) return std::nullopt;
      values.push_back(*std::move(value));
    }
    return values;
  }
};

}  // namespace ardea::schedule
