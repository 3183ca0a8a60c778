// Matrices as plain data. Compiled weights are ~98 % zeros, so in memory they are sparse; a file holds them dense.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
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

/// Sparse matrix by rows; within a row, columns increase strictly and values are nonzero. Memory is linear in the
/// nonzero entries: empty rows (most rows of an output projection) cost nothing.
struct SparseMatrix {
  struct Entry {
    std::uint32_t column;
    double value;
    friend bool operator==(const Entry&, const Entry&) = default;
  };
  using Row = std::vector<Entry>;

  /// Reads like a vector of rows, empty ones included.
  class Rows {
   public:
    std::size_t size() const { return count_; }
    bool empty() const { return count_ == 0; }
    const Row& operator[](std::size_t row) const;
    /// The row, to be changed.
    Row& edit(std::size_t row);
    /// Forgets rows that have become empty.
    void drop_if_empty(std::size_t row);
    void resize(std::size_t count);

    class Iterator {
     public:
      using value_type = Row;
      using difference_type = std::ptrdiff_t;
      Iterator() = default;
      Iterator(const Rows* rows, std::size_t row, std::size_t next) : rows_(rows), row_(row), next_(next) {}
      const Row& operator*() const { return rows_->holds(next_, row_) ? rows_->filled_[next_].second : kEmpty; }
      Iterator& operator++() {
        next_ += rows_->holds(next_, row_);
        ++row_;
        return *this;
      }
      Iterator operator++(int) {
        Iterator before = *this;
        ++*this;
        return before;
      }
      bool operator==(const Iterator& other) const { return row_ == other.row_; }

     private:
      const Rows* rows_ = nullptr;
      std::size_t row_ = 0, next_ = 0;
    };
    Iterator begin() const { return {this, 0, 0}; }
    Iterator end() const { return {this, count_, filled_.size()}; }
    friend bool operator==(const Rows&, const Rows&) = default;

   private:
    static const Row kEmpty;
    bool holds(std::size_t next, std::size_t row) const { return next < filled_.size() && filled_[next].first == row; }
    std::size_t find(std::size_t row) const;

    std::size_t count_ = 0;
    std::vector<std::pair<std::size_t, Row>> filled_;  // by row number; the others are empty
  };

  std::size_t cols = 0;
  Rows rows;

  SparseMatrix() = default;
  SparseMatrix(std::size_t r, std::size_t c) : cols(c) { rows.resize(r); }

  /// Adds `value` to the entry (row, column), keeping the order; an entry that becomes 0 is removed.
  void add(std::size_t row, std::size_t column, double value);
  double at(std::size_t row, std::size_t column) const;
  std::size_t nonzeros() const;
  bool is_zero() const { return nonzeros() == 0; }
  friend bool operator==(const SparseMatrix&, const SparseMatrix&) = default;
};

}  // namespace quench
