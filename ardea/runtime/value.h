#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "ardea/runtime/array.h"

namespace ardea::runtime {

struct FunctionState;  // behind Function, in function.cc
struct ModuleState;    // behind Module, in module.cc

class Value;

/// How a parameter of type T is read from a value: `from` gives it or nothing, `expected` names what was
/// wanted. Function and Module add themselves where they are defined.
template <class T>
struct FromValue;

/// Any argument or result of a type-erased function: null, an integer (booleans too), a float, a string, an
/// array, a function, a module or an opaque pointer. Functions and modules are kept as what is behind them,
/// so that they can be defined in terms of values.
class Value {
 public:
  using Storage =
      std::variant<std::nullptr_t, std::int64_t, double, std::string, Array,
                   std::shared_ptr<const FunctionState>, std::shared_ptr<const ModuleState>, void*>;

  Value() : storage_(nullptr) {}
  Value(std::nullptr_t) : storage_(nullptr) {}
  template <std::integral T>
  Value(T value) : storage_(static_cast<std::int64_t>(value)) {}
  template <std::floating_point T>
  Value(T value) : storage_(static_cast<double>(value)) {}
  Value(std::string text) : storage_(std::move(text)) {}
  Value(std::string_view text) : storage_(std::string(text)) {}
  Value(const char* text) : storage_(std::string(text)) {}
  Value(Array array) : storage_(nullptr) {
    if (array) storage_ = std::move(array);
  }
  template <class T>
    requires std::same_as<T, void>
  Value(T* handle) : storage_(handle) {}

  /// Straight from the storage, for Function and Module.
  struct Stored {
    Storage storage;
  };
  explicit Value(Stored stored) : storage_(std::move(stored.storage)) {}

  const Storage& storage() const { return storage_; }
  bool is_null() const { return std::holds_alternative<std::nullptr_t>(storage_); }

  /// As a parameter of type T would be read; an Error that says what the value is where it cannot be.
  template <class T>
  T as() const {
    std::optional<T> result = FromValue<T>::from(*this);
    require(result.has_value(), "the value is {}, expected {}", description(), FromValue<T>::expected());
    return *std::move(result);
  }

  /// "the integer 3", "the string \"x\"", "the array float32[3, 4]", …, for messages.
  std::string description() const;

 private:
  Storage storage_;
};

/// A narrower integer takes only what it can hold; bool takes 0 and 1.
template <std::integral T>
struct FromValue<T> {
  static std::string expected() {
    if constexpr (std::is_same_v<T, bool>) return "a boolean";
    if constexpr (std::is_same_v<T, std::int64_t>) return "an integer";
    return "an integer that fits " + to_string(data_type_of<T>());
  }
  static std::optional<T> from(const Value& value) {
    const auto* integer = std::get_if<std::int64_t>(&value.storage());
    if (integer == nullptr || !std::in_range<Wide>(*integer)) return std::nullopt;
    if (static_cast<Wide>(*integer) > std::numeric_limits<T>::max()) return std::nullopt;
    if (static_cast<Wide>(*integer) < std::numeric_limits<T>::min()) return std::nullopt;
    return static_cast<T>(*integer);
  }

 private:
  using Wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
};

/// An integer where a float is wanted is that float; a float where an integer is wanted is a mistake.
template <std::floating_point T>
struct FromValue<T> {
  static std::string expected() { return "a number"; }
  static std::optional<T> from(const Value& value) {
    if (const auto* real = std::get_if<double>(&value.storage())) return static_cast<T>(*real);
    if (const auto* integer = std::get_if<std::int64_t>(&value.storage())) return static_cast<T>(*integer);
    return std::nullopt;
  }
};

template <>
struct FromValue<std::string> {
  static std::string expected() { return "a string"; }
  static std::optional<std::string> from(const Value& value) {
    const auto* text = std::get_if<std::string>(&value.storage());
    return text ? std::optional(*text) : std::nullopt;
  }
};

/// Valid as long as the value is: for a parameter, the length of the call.
template <>
struct FromValue<std::string_view> {
  static std::string expected() { return "a string"; }
  static std::optional<std::string_view> from(const Value& value) {
    const auto* text = std::get_if<std::string>(&value.storage());
    return text ? std::optional<std::string_view>(*text) : std::nullopt;
  }
};

template <>
struct FromValue<Array> {
  static std::string expected() { return "an array"; }
  static std::optional<Array> from(const Value& value) {
    const auto* array = std::get_if<Array>(&value.storage());
    return array ? std::optional(*array) : std::nullopt;
  }
};

template <>
struct FromValue<void*> {
  static std::string expected() { return "a handle or null"; }
  static std::optional<void*> from(const Value& value) {
    if (value.is_null()) return std::optional<void*>(nullptr);
    void* const* handle = std::get_if<void*>(&value.storage());
    return handle ? std::optional(*handle) : std::nullopt;
  }
};

template <>
struct FromValue<Value> {
  static std::string expected() { return "anything"; }
  static std::optional<Value> from(const Value& value) { return value; }
};

}  // namespace ardea::runtime
