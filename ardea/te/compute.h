#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "ardea/support/error.h"
#include "ardea/te/tensor.h"

namespace ardea::te {

/// One dimension of a result: its extent, and the name of its axis where one is wanted.
struct Dim {
  std::string name = {};
  Expr extent;
  Dim(Expr e) : extent(std::move(e)) {}
  Dim(const Var& v) : extent(v) {}
  template <std::integral T>
  Dim(T value) : extent(make_int(static_cast<std::int64_t>(value))) {}
  Dim(std::string axis, Index value) : name(std::move(axis)), extent(std::move(value.expr)) {}
};

/// The dimensions of a shape, without names.
std::vector<Dim> dims(const std::vector<Expr>& shape);

/// Dimensions whose number is known when the program runs: a vector, `A.shape()`, or none, `{}`.
class Dims {
 public:
  Dims() = default;
  Dims(std::vector<Dim> list) : list_(std::move(list)) {}
  Dims(const std::vector<Expr>& shape) : list_(dims(shape)) {}
  const std::vector<Dim>& list() const { return list_; }

 private:
  std::vector<Dim> list_;
};

/// What a compute's function may give back.
struct Body {
  std::variant<std::vector<Expr>, std::vector<Reduction>> value;
  template <std::convertible_to<Expr> E>
  Body(const E& e) : value(std::vector<Expr>{Expr(e)}) {}
  Body(std::vector<Expr> e) : value(std::move(e)) {}
  Body(Reduction r) : value(std::vector<Reduction>{std::move(r)}) {}
  /// Several reductions by one reducer over the same axes.
  Body(std::vector<Reduction> r) : value(std::move(r)) {}
};

using AxisFunction = std::function<Body(const std::vector<Var>&)>;

/// The form that compute and compute_all come down to. `parameters` is how many indices the function takes;
/// -1: any number.
std::vector<Tensor> compute_from(std::string name, const std::vector<Dim>& shape, int parameters,
                                 const AxisFunction& body);

namespace detail {

template <class R, class... Params>
constexpr int parameter_count(std::type_identity<std::function<R(Params...)>>) {
  if constexpr (sizeof...(Params) == 1 &&
                (std::is_same_v<std::remove_cvref_t<Params>, std::vector<Var>> && ...))
    return -1;
  return sizeof...(Params);
}

/// A function whose parameters can be counted. Those of `[](auto i, auto j)` are found by trying.
template <class F>
concept Countable = requires(const F& f) { std::function{f}; };

template <class F>
constexpr bool takes_vector() {
  if constexpr (Countable<F>)
    return parameter_count(std::type_identity<decltype(std::function{std::declval<const F&>()})>{}) == -1;
  return false;
}

template <std::size_t>
using AsIndex = const Var&;

template <class F, std::size_t... index>
constexpr bool takes_each(std::index_sequence<index...>) {
  return std::is_invocable_v<const F&, AsIndex<index>...>;
}
template <class F, std::size_t count>
constexpr bool takes_indices = takes_each<F>(std::make_index_sequence<count>{});

template <class F, class... Indices>
Body call(const F& f, const Indices&... indices) {
  constexpr bool gives_body =
      std::is_constructible_v<Body, std::invoke_result_t<const F&, const Indices&...>>;
  static_assert(gives_body,
                "te::compute: its function must return an expression, a number or a reduction, or for "
                "compute_all a std::vector<Expr> or std::vector<te::Reduction>");
  if constexpr (gives_body)
    return Body(f(indices...));
  else
    return Body(Expr());
}

template <class F, std::size_t... index>
Body call_each(const F& f, const std::vector<Var>& axes, std::index_sequence<index...>) {
  return call(f, axes[index]...);
}

/// The function as one of a list of indices, where it takes `count` of them, or the list.
template <int count, class F>
AxisFunction function_of_axes(const F& f) {
  return [&f](const std::vector<Var>& axes) {
    if constexpr (count < 0)
      return call(f, axes);
    else
      return call_each(f, axes, std::make_index_sequence<static_cast<std::size_t>(count)>{});
  };
}

/// The most parameters of a function with `auto` ones that are tried where the shape is a list.
constexpr std::size_t most_tried = 8;

/// Which numbers of indices, 1 to most_tried, the function takes.
template <class F, std::size_t... count>
constexpr std::array<bool, most_tried> counts_taken(std::index_sequence<count...>) {
  return {takes_indices<F, count + 1>...};
}

/// Calls f with as many indices as there are axes.
template <std::size_t count, class F>
Body call_any(const F& f, const std::vector<Var>& axes) {
  if constexpr (takes_indices<F, count>)
    if (axes.size() == count) return call_each(f, axes, std::make_index_sequence<count>{});
  if constexpr (count < most_tried)
    return call_any<count + 1>(f, axes);
  else
    fail("its function takes other numbers of indices than {}", axes.size());
}

template <class F>
std::vector<Tensor> compute_listed(std::string name, const std::vector<Dim>& shape, const F& body) {
  if constexpr (Countable<F>) {
    constexpr int count = parameter_count(std::type_identity<decltype(std::function{body})>{});
    return compute_from(std::move(name), shape, count, function_of_axes<count>(body));
  } else {
    constexpr auto taken = counts_taken<F>(std::make_index_sequence<most_tried>{});
    constexpr auto ways = std::count(taken.begin(), taken.end(), true);
    const auto only = ways == 1 ? std::find(taken.begin(), taken.end(), true) - taken.begin() + 1 : -1;
    return compute_from(std::move(name), shape, static_cast<int>(only),
                        [&](const std::vector<Var>& axes) { return call_any<1>(body, axes); });
  }
}

/// Whether a function can be one of a shape with that many dimensions, or of some shape (-1).
template <class F, int rank>
constexpr bool is_function_of_indices() {
  if constexpr (takes_vector<F>())
    return true;
  else if constexpr (rank >= 0)
    return takes_indices<F, static_cast<std::size_t>(rank)>;
  else if constexpr (Countable<F>)
    return takes_indices<F, static_cast<std::size_t>(parameter_count(
                                std::type_identity<decltype(std::function{std::declval<const F&>()})>{}))>;
  else
    return [](const auto& taken) {
      return std::find(taken.begin(), taken.end(), true) != taken.end();
    }(counts_taken<F>(std::make_index_sequence<most_tried>{}));
}

inline Tensor only_result(const std::string& name, const std::vector<Tensor>& all) {
  require(all.size() == 1,
          "compute({}): its function gives {} results; call compute_all, which gives them all", name,
          all.size());
  return all[0];
}

}  // namespace detail

/// Each element of the results by a function of its indices, as many of them as the shape has dimensions,
/// each a Var, an Expr or auto (or of one std::vector<Var>, for any rank):
///
///   Axis k = reduce_axis(K, "k");
///   Tensor C = compute("C", {{"i", M}, {"j", N}}, [&](auto i, auto j) { return sum(A(i, k) * B(k, j), {k});
///   });
///
/// Does not compile where the function takes another number of indices. Error where types do not agree, a
/// reduce axis belongs to another compute or is used without being reduced over.
template <std::size_t rank, class F>
std::vector<Tensor> compute_all(std::string name, const Dim (&shape)[rank], const F& body) {
  constexpr bool fits = detail::is_function_of_indices<F, static_cast<int>(rank)>();
  static_assert(fits,
                "te::compute: its function must take one index for each dimension of the shape, as Var, Expr "
                "or auto (or all of them as const std::vector<Var>&)");
  if constexpr (!fits)
    return {};
  else if constexpr (detail::takes_vector<F>())
    return compute_from(std::move(name), {shape, shape + rank}, -1, detail::function_of_axes<-1>(body));
  else
    return compute_from(std::move(name), {shape, shape + rank}, static_cast<int>(rank),
                        detail::function_of_axes<static_cast<int>(rank)>(body));
}

/// The same of a shape whose rank is known when the program runs: another number of indices is an Error.
template <class F>
std::vector<Tensor> compute_all(std::string name, const Dims& shape, const F& body) {
  constexpr bool fits = detail::is_function_of_indices<F, -1>();
  static_assert(fits,
                "te::compute: its function must take one index for each dimension of the shape, as Var, Expr "
                "or auto (or all of them as const std::vector<Var>&)");
  if constexpr (fits)
    return detail::compute_listed(std::move(name), shape.list(), body);
  else
    return {};
}

/// The same with one result.
template <std::size_t rank, class F>
Tensor compute(const std::string& name, const Dim (&shape)[rank], const F& body) {
  return detail::only_result(name, compute_all(name, shape, body));
}
template <class F>
Tensor compute(const std::string& name, const Dims& shape, const F& body) {
  return detail::only_result(name, compute_all(name, shape, body));
}

}  // namespace ardea::te
