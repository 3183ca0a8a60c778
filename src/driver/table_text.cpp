#include "driver/table_text.h"

#include <algorithm>
#include <vector>

#include "base/text/utf8.h"

namespace quench::driver {
namespace {

constexpr std::size_t kMargin = 2;   // before every cell
constexpr std::size_t kBelow = 8;    // before what stands below a row
constexpr std::size_t kLeast = 24;   // columns in which a text may be folded, if there is a choice
constexpr std::size_t kNarrow = 12;  // if there is none

std::vector<std::size_t> widths_of(const Table& table) {
  std::vector<std::size_t> widths;
  for (const std::string& column : table.columns) widths.push_back(display_width(column));
  for (const auto& row : table.rows)
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], display_width(row[c]));
  return widths;
}

/// The text in pieces of at most `width` columns, broken at blanks; a longer word is a piece by itself.
std::vector<std::string> pieces_of(const std::string& text, std::size_t width) {
  if (display_width(text) <= width) return {text};
  std::vector<std::string> pieces = {""};
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at + 1), text.size());
    const std::string word = text.substr(at, end - at);  // with the blank before it
    const bool first = pieces.back().empty();
    if (!first && display_width(pieces.back()) + display_width(word) > width)
      pieces.push_back(word.substr(word.find_first_not_of(' ') == std::string::npos ? 0 : word.find_first_not_of(' ')));
    else
      pieces.back() += word;
    at = end;
  }
  return pieces;
}

class Layout {
 public:
  Layout(const Table& table, std::size_t columns) : table_(table), columns_(columns), widths_(widths_of(table)) {
    beside_ = widths_.size();
    while (beside_ > 1 && begin_of(beside_ - 1) + room_wanted(beside_ - 1) > columns_) --beside_;
  }

  std::string text() const {
    std::string text = folded("", table_.title, kMargin) + line(table_.columns);
    for (const auto& row : table_.rows) {
      text += line(row);
      std::string below;
      for (std::size_t c = beside_; c < row.size(); ++c)
        if (!row[c].empty()) below += (below.empty() ? "" : "; ") + table_.columns[c] + ": " + row[c];
      if (!below.empty()) text += folded(std::string(kBelow, ' '), below, kBelow);
    }
    return text;
  }

 private:
  /// Where the text of a column begins.
  std::size_t begin_of(std::size_t column) const {
    std::size_t begin = kMargin;
    for (std::size_t c = 0; c < column; ++c) begin += widths_[c] + kMargin;
    return begin;
  }
  /// Only the last column can be folded.
  std::size_t room_wanted(std::size_t column) const {
    return column + 1 == widths_.size() ? std::min(widths_[column], kLeast) : widths_[column];
  }

  /// `text` after `before`, which is no wider than `indent`; what does not fit goes on below, indented.
  std::string folded(const std::string& before, const std::string& text, std::size_t indent) const {
    const std::size_t room = columns_ > indent + kNarrow ? columns_ - indent : kNarrow;
    std::string lines;
    for (const std::string& piece : pieces_of(text, room))
      lines += (lines.empty() ? before : std::string(indent, ' ')) + piece + "\n";
    return lines;
  }

  std::string line(const std::vector<std::string>& cells) const {
    std::string text;
    for (std::size_t c = 0; c + 1 < beside_; ++c) {
      text += std::string(kMargin, ' ') + cells[c];
      text.append(widths_[c] - display_width(cells[c]), ' ');
    }
    text += std::string(kMargin, ' ');
    return folded(text, cells[beside_ - 1], begin_of(beside_ - 1));
  }

  const Table& table_;
  std::size_t columns_;
  std::vector<std::size_t> widths_;
  std::size_t beside_;  // so many columns stand beside each other; the others go below
};

}  // namespace

std::string table_text(const Table& table, std::size_t columns) { return Layout(table, columns).text(); }

}  // namespace quench::driver
