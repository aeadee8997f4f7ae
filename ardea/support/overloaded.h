#pragma once

namespace ardea {

/// std::visit(overloaded{[](const A&) {…}, [](const B&) {…}}, variant)
template <class... Fs>
struct overloaded : Fs... {
  using Fs::operator()...;
};
template <class... Fs>
overloaded(Fs...) -> overloaded<Fs...>;

}  // namespace ardea
