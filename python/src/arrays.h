// numpy arrays on both sides: what comes in is looked at where it is, what goes out keeps the memory it was computed
// in.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

namespace quench::python {

namespace nb = nanobind;

/// A matrix by rows without gaps; other arrays are converted on the way in.
template <class T>
using Rows = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Numbers = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// An array that owns what `kept` holds.
template <class T, class Kept>
nb::object array_of(std::unique_ptr<Kept> kept, T* data, std::initializer_list<std::size_t> shape) {
  nb::capsule owner(kept.release(), [](void* pointer) noexcept { delete static_cast<Kept*>(pointer); });
  return nb::cast(nb::ndarray<nb::numpy, T>(data, shape.size(), shape.begin(), owner));
}

template <class T>
nb::object array_of(std::vector<T> values, std::initializer_list<std::size_t> shape) {
  auto kept = std::make_unique<std::vector<T>>(std::move(values));
  T* const data = kept->data();
  return array_of<T>(std::move(kept), data, shape);
}

}  // namespace quench::python
