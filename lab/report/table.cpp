#include "lab/report/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/error.h"

namespace quench::lab {

std::string cell(double number) { return std::isnan(number) ? "" : fmt::format("{}", number); }
std::string cell(std::string_view text) { return std::string(text); }

std::size_t Table::column(std::string_view name) const {
  const auto found = std::find(columns.begin(), columns.end(), name);
  if (found == columns.end()) throw InternalError("no column " + std::string(name));
  return static_cast<std::size_t>(found - columns.begin());
}

double to_number(std::string_view text) {
  double number = std::numeric_limits<double>::quiet_NaN();
  if (text == "inf") return std::numeric_limits<double>::infinity();
  if (text == "-inf") return -std::numeric_limits<double>::infinity();
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && end == text.data() + text.size();  // "12a" is no number
  return whole ? number : std::numeric_limits<double>::quiet_NaN();
}

double Table::number(std::size_t row, std::string_view name) const { return to_number(text(row, name)); }

Table Table::where(std::string_view name, std::string_view value) const {
  Table selected(columns);
  const std::size_t at = column(name);
  for (const Row& row : rows)
    if (row[at] == value) selected.rows.push_back(row);
  return selected;
}

std::vector<std::string> Table::distinct(std::string_view name) const {
  std::vector<std::string> values;
  const std::size_t at = column(name);
  for (const Row& row : rows)
    if (std::find(values.begin(), values.end(), row[at]) == values.end()) values.push_back(row[at]);
  return values;
}

std::vector<double> Table::numbers(std::string_view name) const {
  std::vector<double> values;
  const std::size_t at = column(name);
  for (const Row& row : rows) values.push_back(to_number(row[at]));
  return values;
}

namespace {

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"') result += '"';
    result += c;
  }
  return result + '"';
}

std::string line_of(const Row& row) {
  std::string line;
  for (std::size_t c = 0; c < row.size(); ++c) line += (c > 0 ? "," : "") + quoted(row[c]);
  return line + "\n";
}

/// The cells of the record that begins at `at`, which moves behind its line end.
Row next_record(std::string_view text, std::size_t& at) {
  Row row(1);
  bool inside = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (inside && c == '"' && at + 1 < text.size() && text[at + 1] == '"') {
      row.back() += '"';
      ++at;
    } else if (c == '"') {
      inside = !inside;
    } else if (!inside && c == ',') {
      row.emplace_back();
    } else if (!inside && c == '\n') {
      ++at;
      break;
    } else {
      row.back() += c;
    }
  }
  return row;
}

}  // namespace

std::string to_csv(const Table& table) {
  std::string text = line_of(table.columns);
  for (const Row& row : table.rows) text += line_of(row);
  return text;
}

Table from_csv(std::string_view text) {
  std::size_t at = 0;
  Table table(next_record(text, at));
  while (at < text.size()) {
    Row row = next_record(text, at);
    if (row.size() != table.columns.size())
      throw IoError(fmt::format("row {} of the table has {} cells, not {}", table.rows.size() + 1, row.size(),
                                table.columns.size()));
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace quench::lab
