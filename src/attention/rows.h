// A view of some rows of numbers that live elsewhere: how matrices are handed to attention without copying them, and
// how one head's columns are cut out of a wider matrix. It owns nothing.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

#include "base/number/matrix.h"

namespace quench::attention {

template <class T>
struct Rows {
  T* data = nullptr;
  std::size_t rows = 0, cols = 0;
  std::size_t stride = 0;  ///< distance from one row to the next, at least cols

  Rows() = default;
  Rows(T* first, std::size_t r, std::size_t c, std::size_t step) : data(first), rows(r), cols(c), stride(step) {}
  Rows(T* first, std::size_t r, std::size_t c) : Rows(first, r, c, c) {}
  Rows(const Matrix& matrix) requires std::is_same_v<T, const double>
      : Rows(matrix.data.data(), matrix.rows, matrix.cols) {}
  Rows(Matrix& matrix) requires std::is_same_v < std::remove_const_t<T>,
  double > : Rows(matrix.data.data(), matrix.rows, matrix.cols) {}
  template <class U>
  requires(std::is_const_v<T>&& std::is_same_v<const U, T>) Rows(const Rows<U>& other)
      : Rows(other.data, other.rows, other.cols, other.stride) {}

  std::span<T> operator[](std::size_t r) const { return {data + r * stride, cols}; }
  T& operator()(std::size_t r, std::size_t c) const { return data[r * stride + c]; }
  /// Columns first … first + count − 1 of every row.
  Rows columns(std::size_t first, std::size_t count) const { return {data + first, rows, count, stride}; }
};

}  // namespace quench::attention
