#include "base/text/diagnostic.h"

#include <algorithm>

#include "base/text/render_style.h"
#include "base/text/utf8.h"

namespace quench {
namespace {

constexpr int kTabStop = 4;
constexpr std::size_t kMaxBytes = 1000;    // on either side of the span: more than is ever shown
constexpr std::size_t kContextWidth = 30;  // columns kept before the span when a line is cut

/// One character of the source line as the terminal shows it.
struct Cell {
  std::string text;
  std::size_t width;
  std::size_t byte;  // where it begins in the source
};

std::vector<Cell> cells_of(std::string_view source, std::size_t begin, std::size_t end) {
  std::vector<Cell> cells;
  std::size_t column = 0;
  for (std::size_t at = begin; at < end;) {
    const Utf8Char character = decode_utf8(source.substr(0, end), at);
    Cell cell{"\uFFFD", 1, at};
    if (character.code == '\t' && character.valid) {
      cell.width = kTabStop - column % kTabStop;
      cell.text = std::string(cell.width, ' ');
    } else if (character.valid && showable(character.code)) {
      cell.width = static_cast<std::size_t>(display_width(character.code));
      cell.text = source.substr(at, character.length);
    }
    column += cell.width;
    at += character.length;
    cells.push_back(std::move(cell));
  }
  return cells;
}

/// The part of a line that is shown, and what goes under it.
struct Excerpt {
  std::string line, marks;
};

/// Where to begin so that the span is in view: 0 if the whole line fits.
std::size_t first_shown(const std::vector<Cell>& cells, std::size_t span_begin, std::size_t max_width) {
  std::size_t total = 0;
  for (const Cell& cell : cells) total += cell.width;
  if (total <= max_width) return 0;
  const auto at = std::find_if(cells.begin(), cells.end(), [&](const Cell& cell) { return cell.byte >= span_begin; });
  auto first = static_cast<std::size_t>(at - cells.begin());
  for (std::size_t width = 0; first > 0 && width < std::min(kContextWidth, max_width / 2); --first) width += cells[first - 1].width;
  return first;
}

/// Of the line [begin, end). Only the surroundings of the span are looked at: lines may be megabytes long.
Excerpt excerpt_of(std::string_view source, std::size_t begin, std::size_t end, Span span, std::size_t max_width) {
  const std::size_t near = span.begin - std::min(span.begin - begin, kMaxBytes);
  const std::vector<Cell> cells = cells_of(source, near, std::min(end, span.begin + kMaxBytes));
  const std::size_t first = first_shown(cells, span.begin, max_width);
  Excerpt excerpt;
  if (first > 0 || near > begin) {
    excerpt.line += "…";
    excerpt.marks += " ";
  }
  bool marked = false;
  std::size_t width = 0;
  for (std::size_t k = first; k < cells.size(); ++k) {
    const Cell& cell = cells[k];
    if ((width += cell.width) > max_width) {
      excerpt.line += "…";
      break;
    }
    excerpt.line += cell.text;
    // An empty span still marks one character.
    const bool inside = cell.byte >= span.begin && (cell.byte < span.end || !marked);
    for (std::size_t column = 0; column < cell.width; ++column) {
      excerpt.marks += !inside ? ' ' : marked ? '~' : '^';
      marked = marked || inside;
    }
  }
  if (!marked) excerpt.marks += '^';  // the span is at the end of the line
  excerpt.marks.erase(excerpt.marks.find_last_not_of(' ') + 1);
  return excerpt;
}

std::string render_one(const Diagnostic& diagnostic, std::string_view source, std::string_view source_name,
                       const RenderStyle& style) {
  const Span span{std::min(diagnostic.span.begin, source.size()),
                  std::min(std::max(diagnostic.span.begin, diagnostic.span.end), source.size())};
  const SourcePlace place = place_of(source, span.begin);
  const std::size_t begin = span.begin == 0 ? 0 : source.rfind('\n', span.begin - 1) + 1;  // npos + 1 = 0
  std::size_t end = std::min(source.find('\n', span.begin), source.size());
  if (end > begin && source[end - 1] == '\r') --end;

  const Excerpt excerpt = excerpt_of(source, begin, end, span, style.max_width);
  const std::string number = std::to_string(place.line);
  const std::string margin(number.size() + 2, ' ');

  const std::string_view colour = diagnostic.is_warning() ? kYellow : kRed;
  const auto coloured = [&](const std::string& part) {
    return style.colour ? std::string(colour) + part + std::string(kPlain) : part;
  };
  std::string text = printable(source_name) + ":" + number + ":" + std::to_string(place.column) + ": " +
                     coloured(diagnostic.is_warning() ? "warning" : "error") + " " + diagnostic.code + ": " +
                     printable(diagnostic.message) + "\n";
  text += " " + number + " | " + excerpt.line + "\n";
  const std::size_t first_mark = std::min(excerpt.marks.find('^'), excerpt.marks.size());
  text += margin + "| " + excerpt.marks.substr(0, first_mark) + coloured(excerpt.marks.substr(first_mark)) + "\n";
  for (const std::string& note : diagnostic.notes) text += margin + "= " + printable(note) + "\n";
  return text;
}

}  // namespace

SourcePlace place_of(std::string_view source, std::size_t offset) {
  offset = std::min(offset, source.size());
  SourcePlace place;
  std::size_t begin = 0;
  for (std::size_t at = source.find('\n'); at < offset; at = source.find('\n', at + 1)) {
    ++place.line;
    begin = at + 1;
  }
  for (std::size_t at = begin; at < offset; at += decode_utf8(source, at).length) ++place.column;
  return place;
}

std::string render(const std::vector<Diagnostic>& diagnostics, std::string_view source, std::string_view source_name) {
  return render(diagnostics, source, source_name, {});
}

std::string render(const std::vector<Diagnostic>& diagnostics, std::string_view source, std::string_view source_name,
                   const RenderStyle& style) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics) {
    if (!text.empty()) text += '\n';
    text += render_one(diagnostic, source, source_name, style);
  }
  return text;
}

}  // namespace quench
