#pragma once

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "ardea/runtime/abi.h"
#include "ardea/runtime/value.h"

namespace ardea::runtime {

/// A function of values; `name` is the one it is called by, for its messages.
using ErasedCall = std::function<Value(std::string_view name, std::span<const Value> arguments)>;

/// The call of `callable` with each argument read as its parameter's type. A wrong number of arguments, or
/// one that cannot be read as its parameter, is an Error with its number, what came and what was expected.
template <class F>
ErasedCall erase_signature(F callable);

/// Something with one signature that can be seen: a lambda without auto parameters, a function pointer, a
/// std::function.
template <class F>
concept PlainCallable = requires(F f) { std::function{std::move(f)}; };

/// A callable whose signature was erased: C++ code or generated code, called with any values and giving one
/// back. A handle: copies share the callable. A default-constructed Function is null.
///
///   Function scale = [](const Array& x, double factor) { … };
///   scale(x, 2.5);
///   scale(x, "two");   // Error: function: argument 2 of 2 is the string "two", expected a number
class Function {
 public:
  Function() = default;

  /// Parameters may be integers, floats, bool, std::string, std::string_view, Array, Function, Module, void*
  /// and Value; a single std::span<const Value> takes any number of arguments. The result may be void or
  /// anything that makes a Value.
  template <PlainCallable F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, Function>)
  Function(F callable) : Function("function", erase_signature(std::move(callable))) {}

  Function(std::string name, ErasedCall call);

  /// Generated code; `owner` keeps it in memory.
  Function(std::string name, ArdeaPackedFunction code, std::shared_ptr<const void> owner);

  explicit operator bool() const { return state_ != nullptr; }
  const std::string& name() const;

  /// The same function under the name that its messages should have.
  Function named(std::string name) const;

  /// Where generated code returns an error, an Error with the sentence it recorded.
  Value call(std::span<const Value> arguments) const;

  template <class... Args>
  Value operator()(Args&&... args) const {
    const std::array<Value, sizeof...(Args)> values{Value(std::forward<Args>(args))...};
    return call(values);
  }

  /// As generated code calls it: no exception leaves, an error is a nonzero answer with its sentence in
  /// ardea_set_error. A string or array given back lives until the next such call on this thread.
  std::int32_t call_packed(const ArdeaValue* arguments, const std::int32_t* type_codes, std::int32_t count,
                           ArdeaValue* result, std::int32_t* result_code) const noexcept;

  operator Value() const;

 private:
  friend class PreparedCall;
  friend struct FromValue<Function>;
  explicit Function(std::shared_ptr<const FunctionState> state) : state_(std::move(state)) {}

  std::shared_ptr<const FunctionState> state_;
};

/// A function with its arguments packed once, so that timing many calls measures the function alone.
class PreparedCall {
 public:
  PreparedCall(Function function, std::span<const Value> arguments);
  ~PreparedCall();
  PreparedCall(PreparedCall&&) noexcept;
  PreparedCall& operator=(PreparedCall&&) noexcept;

  void run() const;    ///< drops the result
  Value call() const;  ///< gives it back

 private:
  struct Packed;
  std::unique_ptr<Packed> packed_;
};

template <>
struct FromValue<Function> {
  static std::string expected() { return "a function"; }
  static std::optional<Function> from(const Value& value) {
    const auto* state = std::get_if<std::shared_ptr<const FunctionState>>(&value.storage());
    return state ? std::optional(Function(*state)) : std::nullopt;
  }
};

namespace detail {

[[noreturn]] void refuse_count(std::string_view name, std::size_t wanted, std::size_t given);
[[noreturn]] void refuse_argument(std::string_view name, std::size_t index, std::size_t count,
                                  const Value& given, const std::string& expected);

template <class T>
T read_argument(std::string_view name, std::span<const Value> arguments, std::size_t index) {
  std::optional<T> value = FromValue<T>::from(arguments[index]);
  if (!value) refuse_argument(name, index, arguments.size(), arguments[index], FromValue<T>::expected());
  return *std::move(value);
}

template <class F, class R, class... Params, std::size_t... index>
ErasedCall erase(F callable, std::type_identity<std::function<R(Params...)>>, std::index_sequence<index...>) {
  return [callable = std::move(callable)](
             std::string_view name, [[maybe_unused]] std::span<const Value> arguments) mutable -> Value {
    if (arguments.size() != sizeof...(Params)) refuse_count(name, sizeof...(Params), arguments.size());
    // Braces read the arguments from left to right, so that the first wrong one is the one named.
    std::tuple<std::remove_cvref_t<Params>...> values{
        read_argument<std::remove_cvref_t<Params>>(name, arguments, index)...};
    if constexpr (std::is_void_v<R>) {
      callable(std::get<index>(values)...);
      return nullptr;
    } else {
      return Value(callable(std::get<index>(values)...));
    }
  };
}

template <class R, class... Params>
constexpr std::size_t parameter_count(std::type_identity<std::function<R(Params...)>>) {
  return sizeof...(Params);
}

}  // namespace detail

template <class F>
ErasedCall erase_signature(F callable) {
  using Signature = std::type_identity<decltype(std::function{callable})>;
  if constexpr (std::is_same_v<Signature, std::type_identity<std::function<Value(std::span<const Value>)>>>) {
    return [callable = std::move(callable)](std::string_view, std::span<const Value> arguments) mutable {
      return callable(arguments);
    };
  } else {
    return detail::erase(std::move(callable), Signature{},
                         std::make_index_sequence<detail::parameter_count(Signature{})>{});
  }
}

}  // namespace ardea::runtime
