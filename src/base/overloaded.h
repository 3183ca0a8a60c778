// std::visit(Overloaded{[](const A&) {…}, [](const B&) {…}}, variant)
#pragma once

namespace quench {

template <class... Fs>
struct Overloaded : Fs... {
  using Fs::operator()...;
};
template <class... Fs>
Overloaded(Fs...) -> Overloaded<Fs...>;

}  // namespace quench
