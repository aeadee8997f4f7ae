#pragma once

#include <concepts>
#include <string_view>
#include <tuple>
#include <utility>

#include "ardea/schedule/table.h"

/// The primitives as methods, made from the table: `sch.split(loop, {none, 16})` is
/// `sch.results(Split{loop, {none, 16}})`. A method takes the fields of its struct in order, those with a
/// default or none of them from some place on, and gives what the struct names as its Results. Loops of which
/// a step takes any number are written one after the other, as in scripts, or as a vector:
/// `sch.reorder(i, k, j)`, `sch.fuse(loops)`.

namespace ardea::schedule {

/// The open factor of a split, `None` in scripts.
inline constexpr std::nullopt_t none = std::nullopt;

namespace detail {

template <class Step>
constexpr std::size_t field_count = std::tuple_size_v<std::remove_cvref_t<decltype(Step::fields)>>;

/// How many fields every call gives. They come first, as parameters without a default do.
template <class Step>
constexpr std::size_t required_count = std::apply(
    [](const auto&... field) {
      std::size_t required = 0, place = 0;
      ((field.required ? (required = ++place) : ++place), ...);
      return required;
    },
    Step::fields);

template <class Step>
constexpr bool takes_any_number =
    std::apply([](const auto&... field) { return (field.spread || ...); }, Step::fields);

template <class Step, class T>
T type_of(const Field<Step, T>&);

/// The types of the first fields, as many as there are indices.
template <class Step, std::size_t... index>
std::tuple<decltype(type_of(std::get<index>(Step::fields)))...> first_types(std::index_sequence<index...>);
template <class Step, std::size_t count>
using FirstTypes = decltype(first_types<Step>(std::make_index_sequence<count>{}));

/// The step with its first fields given, the others as the struct has them.
template <class Step, class... T>
Step step_of(const T&... given) {
  Step step;
  const auto give = [&]<std::size_t... index>(std::index_sequence<index...>) {
    ((step.*(std::get<index>(Step::fields).member) = given), ...);
  };
  give(std::make_index_sequence<sizeof...(T)>{});
  return step;
}

// One class a way to call a method, which has the method's name; and one that has all ways of it.
#define ARDEA_METHOD(method, Step)                                                                     \
  static_assert(std::string_view(Step::name) == #method);                                              \
  template <class Face, class Given>                                                                   \
  struct Step##Taking;                                                                                 \
  template <class Face, class... T>                                                                    \
  struct Step##Taking<Face, std::tuple<T...>> {                                                        \
    typename Step::Results method(const T&... given) {                                                 \
      return static_cast<Face*>(this)->results(step_of<Step>(given...));                               \
    }                                                                                                  \
  };                                                                                                   \
  template <class Face, class More>                                                                    \
  struct Step##Method;                                                                                 \
  template <class Face, std::size_t... more>                                                           \
  struct Step##Method<Face, std::index_sequence<more...>>                                              \
      : Step##Taking<Face, FirstTypes<Step, required_count<Step> + more>>... {                         \
    using Step##Taking<Face, FirstTypes<Step, required_count<Step> + more>>::method...;                \
    template <std::same_as<LoopRef>... Loops>                                                          \
      requires takes_any_number<Step>                                                                  \
    typename Step::Results method(const LoopRef& first, const Loops&... others) {                      \
      return static_cast<Face*>(this)->results(step_of<Step>(std::vector<LoopRef>{first, others...})); \
    }                                                                                                  \
  };
ARDEA_PRIMITIVES(ARDEA_METHOD)
#undef ARDEA_METHOD

template <class Face, class Step, template <class, class> class Method>
using AllWays = Method<Face, std::make_index_sequence<field_count<Step> - required_count<Step> + 1>>;

/// Ends the list of bases that the table makes.
template <class Face>
struct NoMethod {};  // NOLINT(bugprone-crtp-constructor-accessibility): it has no members to make wrongly

}  // namespace detail

/// What Schedule derives from. Face has results(step).
// NOLINTBEGIN(bugprone-crtp-constructor-accessibility): as above
#define ARDEA_BASE(method, Step) \
 public                          \
  detail::AllWays<Face, Step, detail::Step##Method>,
template <class Face>
struct Methods : ARDEA_PRIMITIVES(ARDEA_BASE) public detail::NoMethod<Face> {};
#undef ARDEA_BASE
// NOLINTEND(bugprone-crtp-constructor-accessibility)

}  // namespace ardea::schedule
