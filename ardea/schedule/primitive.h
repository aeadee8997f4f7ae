#pragma once

#include <array>
#include <string>
#include <tuple>
#include <vector>

#include "ardea/schedule/argument.h"
#include "ardea/schedule/context.h"
#include "ardea/support/error.h"

/// A primitive is a struct of its arguments with
///   using Results = std::vector<LoopRef>;  // what its method gives: nothing, a reference, a vector of them
///   static constexpr auto name = "split";
///   static constexpr auto fields = std::tuple(field("loop", &Split::loop), …);
///   static constexpr auto contract = R"(what it makes of what in one line, an empty line, the rest)";
///   static constexpr std::array refusals = {"factor_not_positive", …};  // tests/schedule/cases has each
///   Outcome apply(const Function&, const Split&, Context&);
/// and one row of the table (table.h). Calls, methods, scripts, JSON and documentation come from the row.

namespace ardea::schedule {

template <class P, class T>
struct Field {
  const char* name;
  T P::* member;
  bool required;
  bool spread;  ///< a list whose items are written as arguments of their own: reorder(a, b, c)
};

/// A field that every call gives.
template <class P, class T>
constexpr Field<P, T> field(const char* name, T P::* member) {
  return {name, member, true, false};
}
/// A field that has the struct's own default.
template <class P, class T>
constexpr Field<P, T> optional_field(const char* name, T P::* member) {
  return {name, member, false, false};
}
template <class P, class T>
constexpr Field<P, T> spread_field(const char* name, T P::* member) {
  return {name, member, true, true};
}

struct Parameter {
  std::string name;
  std::string expected;  ///< "a loop", for messages and documentation
  bool required = true;
  bool spread = false;
  Argument otherwise = {};  ///< where it is not required
  bool takes_list = false;
  bool (*accepts)(const Argument&) = nullptr;
};

/// The parameter of sampling steps whose value the trace keeps.
constexpr auto decision_name = "decision";

struct Primitive {
  std::string name;
  std::string summary;   ///< one line: what it makes of what
  std::string contract;  ///< what it requires and what becomes of references
  std::vector<std::string>
      refusals;  ///< the codes of its own refusals, beside those of references that are gone
  std::vector<Parameter> parameters;
  /// One argument a parameter, in order.
  Outcome (*apply)(const Function&, const std::vector<Argument>&, Context&) = nullptr;
};

template <class P>
std::vector<Argument> arguments_of(const P& step) {
  return std::apply([&](const auto&... f) { return std::vector<Argument>{argument_of(step, f)...}; },
                    P::fields);
}
template <class P, class T>
Argument argument_of(const P& step, const Field<P, T>& f) {
  return Convert<T>::to(step.*f.member);
}

namespace detail {

template <class P, class T>
void read_field(P& step, const Field<P, T>& f, const Argument& argument) {
  std::optional<T> value = Convert<T>::from(argument);
  require(value.has_value(), "{}: {} must be {}", P::name, f.name, Convert<T>::expected());
  step.*f.member = *std::move(value);
}

template <class P>
P step_from(const std::vector<Argument>& arguments) {
  P step;
  std::size_t i = 0;
  std::apply([&](const auto&... f) { (read_field(step, f, arguments.at(i++)), ...); }, P::fields);
  return step;
}

template <class T>
constexpr bool is_list = false;
template <class T>
constexpr bool is_list<std::vector<T>> = true;
template <class T>
constexpr bool is_list<std::optional<std::vector<T>>> = true;

template <class P, class T>
Parameter parameter_of(const Field<P, T>& f) {
  return {f.name,
          Convert<T>::expected(),
          f.required,
          f.spread,
          f.required ? Argument{} : Convert<T>::to(P{}.*f.member),
          is_list<T>,
          [](const Argument& argument) { return Convert<T>::from(argument).has_value(); }};
}

}  // namespace detail

/// The row of P.
template <class P>
Primitive row() {
  const std::string text = P::contract;
  const std::size_t line = text.find('\n');
  return {P::name,
          text.substr(0, line),
          line == std::string::npos ? "" : text.substr(text.find_first_not_of('\n', line)),
          {P::refusals.begin(), P::refusals.end()},
          std::apply([](const auto&... f) { return std::vector<Parameter>{detail::parameter_of(f)...}; },
                     P::fields),
          [](const Function& f, const std::vector<Argument>& arguments, Context& context) {
            return apply(f, detail::step_from<P>(arguments), context);
          }};
}

/// All primitives, in the order of the documentation.
const std::vector<Primitive>& primitives();

/// Error, with the nearest names, where there is none.
const Primitive& find_primitive(const std::string& name);

}  // namespace ardea::schedule
