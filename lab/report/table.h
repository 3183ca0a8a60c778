// What an experiment measures, as rows of cells under named columns: written as CSV, read back to resume, shown in
// pages. A cell is text; numbers are written so that reading them back gives the same double.
#pragma once

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace quench::lab {

using Row = std::vector<std::string>;

std::string cell(double number);
std::string cell(std::string_view text);
inline std::string cell(const char* text) { return cell(std::string_view(text)); }
inline std::string cell(const std::string& text) { return text; }
template <std::integral T>
std::string cell(T number) {
  return std::to_string(number);
}

/// row(1, "a", 0.5)
template <class... Cells>
Row row(const Cells&... cells) {
  return {cell(cells)...};
}

struct Table {
  std::vector<std::string> columns;  ///< with units: "time (s)"
  std::vector<Row> rows;

  Table() = default;
  explicit Table(std::vector<std::string> names) : columns(std::move(names)) {}

  /// The number of a column; the name must be one.
  std::size_t column(std::string_view name) const;
  const std::string& text(std::size_t row, std::string_view name) const { return rows[row][column(name)]; }
  /// NaN for an empty cell.
  double number(std::size_t row, std::string_view name) const;
  /// The rows whose cell is this text.
  Table where(std::string_view name, std::string_view value) const;
  /// The distinct texts of a column, in order of appearance.
  std::vector<std::string> distinct(std::string_view name) const;
  std::vector<double> numbers(std::string_view name) const;
};

/// NaN unless the whole text is a number.
double to_number(std::string_view text);

/// RFC 4180: a line of names, then the rows; LF line ends.
std::string to_csv(const Table& table);
/// Throws IoError if rows do not have as many cells as there are columns.
Table from_csv(std::string_view text);

}  // namespace quench::lab
