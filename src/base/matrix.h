// Matrices as plain data. Compiled weights are ~98 % zeros, so in memory they are sparse; a file holds them dense.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace quench {

/// Row-major dense matrix.
struct Matrix {
  std::size_t rows = 0, cols = 0;
  std::vector<double> data;

  Matrix() = default;
  Matrix(std::size_t r, std::size_t c) : rows(r), cols(c), data(r * c) {}
  double& operator()(std::size_t r, std::size_t c) { return data[r * cols + c]; }
  double operator()(std::size_t r, std::size_t c) const { return data[r * cols + c]; }
  friend bool operator==(const Matrix&, const Matrix&) = default;
};

/// Sparse matrix by rows; within a row, columns increase strictly and values are nonzero.
struct SparseMatrix {
  struct Entry {
    std::uint32_t column;
    double value;
    friend bool operator==(const Entry&, const Entry&) = default;
  };
  using Row = std::vector<Entry>;

  std::size_t cols = 0;
  std::vector<Row> rows;

  SparseMatrix() = default;
  SparseMatrix(std::size_t r, std::size_t c) : cols(c), rows(r) {}

  /// Adds `value` to the entry (row, column), keeping the order; an entry that becomes 0 is removed.
  void add(std::size_t row, std::size_t column, double value);
  double at(std::size_t row, std::size_t column) const;
  std::size_t nonzeros() const;
  bool is_zero() const { return nonzeros() == 0; }
  friend bool operator==(const SparseMatrix&, const SparseMatrix&) = default;
};

}  // namespace quench
