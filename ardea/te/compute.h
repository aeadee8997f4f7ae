#pragma once

#include <functional>
#include <string>
#include <vector>

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

/// What a compute's function may give back.
struct Body {
  std::variant<std::vector<Expr>, std::vector<Reduction>> value;
  Body(Expr e) : value(std::vector<Expr>{std::move(e)}) {}
  Body(const Var& v) : value(std::vector<Expr>{v}) {}
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

template <class F, std::size_t... index>
Body call_with(const F& f, const std::vector<Var>& axes, std::index_sequence<index...>) {
  return Body(f(axes[index]...));
}

}  // namespace detail

/// Each element of the results by a function of its indices, as many of them as the shape has dimensions (or
/// of one std::vector<Var>, for any rank):
///
///   Axis k = reduce_axis(K, "k");
///   Tensor C = compute("C", {{"i", M}, {"j", N}}, [&](Var i, Var j) { return sum(A(i, k) * B(k, j), {k});
///   });
///
/// Error where the function takes another number of indices, types do not agree, a reduce axis belongs to
/// another compute or is used without being reduced over.
template <class F>
std::vector<Tensor> compute_all(std::string name, const std::vector<Dim>& shape, const F& body) {
  using Signature = std::type_identity<decltype(std::function{body})>;
  constexpr int parameters = detail::parameter_count(Signature{});
  if constexpr (parameters == -1)
    return compute_from(std::move(name), shape, parameters,
                        [&](const std::vector<Var>& axes) { return Body(body(axes)); });
  else
    return compute_from(std::move(name), shape, parameters, [&](const std::vector<Var>& axes) {
      return detail::call_with(body, axes, std::make_index_sequence<parameters>{});
    });
}

/// The same with one result.
template <class F>
Tensor compute(std::string name, const std::vector<Dim>& shape, const F& body) {
  const std::string title = name;
  std::vector<Tensor> all = compute_all(std::move(name), shape, body);
  require(all.size() == 1,
          "compute({}): its function gives {} results; call compute_all, which gives them all", title,
          all.size());
  return all[0];
}

}  // namespace ardea::te
