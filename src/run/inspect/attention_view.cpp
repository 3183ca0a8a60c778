#include "run/inspect/attention_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "base/text/utf8.h"
#include "run/inspect/attention_grid.h"
#include "run/inspect/terminal_text.h"
#include "run/inspect/trace.h"

namespace quench::run {

namespace {

/// How a weight shows in the terminal: the first shade whose bound it does not reach.
struct Shade {
  double below;
  std::string_view mark, ascii;
};
constexpr std::array<Shade, 5> kShades{
    {{0, "·", "."}, {0.25, "░", "-"}, {0.5, "▒", "+"}, {0.75, "▓", "*"}, {HUGE_VAL, "█", "#"}}};

/// Weights below this count as none: 2 %, but on long words a uniform row must still show.
double faint(std::size_t n) { return std::min(0.02, 0.5 / static_cast<double>(n)); }

std::string_view mark_of(double weight, std::size_t n, bool ascii) {
  if (std::isnan(weight)) return "?";
  for (const Shade& shade : kShades)
    if (weight < std::max(shade.below, faint(n))) return ascii ? shade.ascii : shade.mark;
  return "?";
}

std::string mask_text(Mask mask) {
  switch (mask) {
    case Mask::none:
      return "no mask";
    case Mask::future:
      return "future mask (j ≤ i)";
    case Mask::past:
      return "past mask (j ≥ i)";
    case Mask::strict_future:
      return "strict future mask (j < i)";
    case Mask::strict_past:
      return "strict past mask (j > i)";
  }
  return "";
}

/// Label of a merged cell: "12 a", or "13–24" for a block.
std::string label(const AttentionView& view, std::size_t cell, std::size_t block) {
  const std::size_t first = cell * block + 1, last = std::min((cell + 1) * block, view.symbols.size());
  if (block == 1) return fmt::format("{} {}", first, cut(view.symbols[cell], 8));
  return first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last);
}

std::string legend(std::size_t n, bool ascii, std::size_t block) {
  const auto mark = [&](std::size_t index) { return ascii ? kShades[index].ascii : kShades[index].mark; };
  std::string text =
      fmt::format("rows: queries i, columns: keys j;  {} below {:.2g}%  {} to 25%  {} to 50%  {} to 75%  {} above",
                  mark(0), 100 * faint(n), mark(1), mark(2), mark(3), mark(4));
  if (block > 1) text += fmt::format(";  each cell is the greatest of {} × {} weights", block, block);
  return text;
}

/// For terminals that have nothing but ASCII: our own signs spelled out, characters of symbols as "?".
std::string to_ascii(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kSpelled{
      {{" · ", ", "}, {"·", "_"}, {"τ", "tau"}, {"≤", "<="}, {"≥", ">="}, {"×", "x"}}};
  std::string ascii;
  for (std::size_t at = 0; at < text.size();) {
    const auto spelled = std::find_if(kSpelled.begin(), kSpelled.end(),
                                      [&](const auto& pair) { return text.substr(at).starts_with(pair.first); });
    if (spelled != kSpelled.end()) {
      ascii += spelled->second;
      at += spelled->first.size();
      continue;
    }
    const auto code = static_cast<unsigned char>(text[at++]);
    if (code < 0x80) ascii += static_cast<char>(code);
    if (code >= 0xc0) ascii += '?';
  }
  return ascii;
}

/// Above the columns: the word, or positions (their last two digits) where symbols are too long for that.
std::string column_heads(const AttentionView& view) {
  const bool fits = std::all_of(view.symbols.begin(), view.symbols.end(),
                                [](const std::string& symbol) { return columns(symbol) <= 2; });
  std::string text;
  for (std::size_t j = 1; j <= view.symbols.size(); ++j)
    text += pad_right(fits ? cut(view.symbols[j - 1], 2) : fmt::format("{}", j % 100), 2);
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

}  // namespace

AttentionView empty_view(const model::Transformer& transformer, HeadIndex head, const Options& options,
                         std::vector<std::string> symbols) {
  require_head(head, transformer);
  const std::size_t n = symbols.size();
  if (n > kLongestView)
    throw UserError(fmt::format("the word has {} symbols; attention can be shown for at most {}", n, kLongestView));
  const model::Head& source = transformer.layers[head.layer].heads[head.head];
  AttentionView view;
  view.index = head;
  view.name = source.name;
  view.mask = source.mask;
  view.temperature = source.temperature;
  view.weighting = options.hard && source.intended != Weighting::soft ? source.intended : source.weighting;
  view.format = options.format;
  view.symbols = std::move(symbols);
  view.weights = Matrix(n, n);
  return view;
}

void fill_row(AttentionView& view, std::size_t i, std::size_t first, const std::vector<double>& weights) {
  std::copy(weights.begin(), weights.end(),
            view.weights.data.begin() + static_cast<std::ptrdiff_t>((i - 1) * view.weights.cols + first - 1));
}

AttentionView attention_view(const model::Transformer& transformer, const Word& word, HeadIndex head,
                             const Options& options, std::vector<std::string> symbols) {
  return std::move(attention_views(transformer, word, {head}, options, std::move(symbols)).front());
}

MergedWeights merge(const AttentionView& view, std::size_t largest) {
  const std::size_t n = view.symbols.size();
  MergedWeights merged;
  merged.block = (n + largest - 1) / largest;
  const std::size_t cells = (n + merged.block - 1) / merged.block;
  merged.greatest = Matrix(cells, cells);
  merged.seen.assign(cells * cells, false);
  for (std::size_t i = 0; i < n; ++i) {
    const KeyRange range = visible(view.mask, i + 1, n);
    for (std::size_t j = range.first; j <= range.last; ++j) {
      const std::size_t row = i / merged.block, column = (j - 1) / merged.block;
      double& cell = merged.greatest(row, column);
      if (const double weight = view.weights(i, j - 1); !(weight <= cell)) cell = weight;  // NaN shows
      merged.seen[row * cells + column] = true;
    }
  }
  return merged;
}

std::string title_of(const AttentionView& view) {
  return fmt::format("layer {}, head {}{}{}", view.index.layer, view.index.head, view.name.empty() ? "" : ": ",
                     printable(view.name, kShownName));
}

std::string subtitle_of(const AttentionView& view) {
  return fmt::format("{} · τ = {} · {} · {} · n = {}", mask_text(view.mask), to_string(view.temperature),
                     view.weighting == Weighting::soft ? "softmax" : to_string(view.weighting), to_string(view.format),
                     view.symbols.size());
}

namespace {

/// The title and the cells.
std::string cells_text(const AttentionView& view, const MergedWeights& merged, const TerminalStyle& style) {
  const std::size_t cells = merged.greatest.rows;
  std::size_t label_width = 0;
  for (std::size_t cell = 0; cell < cells; ++cell)
    label_width = std::max(label_width, columns(label(view, cell, merged.block)));
  const std::string border = style.ascii ? "|" : "│";

  std::string text = cut(title_of(view), 200) + '\n' + subtitle_of(view) + "\n\n";
  if (merged.block == 1) {  // two columns per cell make it square, and leave room for a character above it
    text += std::string(label_width + 3, ' ') + column_heads(view) + '\n';
  }
  for (std::size_t row = 0; row < cells; ++row) {
    text += fmt::format(" {} {}", pad_left(label(view, row, merged.block), label_width), border);
    for (std::size_t column = 0; column < cells; ++column) {
      const bool seen = merged.seen[row * cells + column];
      const std::string_view mark =
          seen ? mark_of(merged.greatest(row, column), view.symbols.size(), style.ascii) : " ";
      text += fmt::format("{}{}", mark, mark == "·" || mark == "." ? " " : mark);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  }
  return text;
}

}  // namespace

std::string to_terminal(const AttentionView& view, const TerminalStyle& style) {
  return to_terminal(std::vector<AttentionView>{view}, style);
}

std::string to_terminal(const std::vector<AttentionView>& views, const TerminalStyle& style) {
  std::string text, last;
  for (const AttentionView& view : views) {
    const MergedWeights merged = merge(view, style.largest);
    if (!text.empty()) text += "\n";
    text += cells_text(view, merged, style);
    last = legend(view.symbols.size(), style.ascii, merged.block);  // all have the same
  }
  text += fmt::format("\n{}\n", last);
  return style.ascii ? to_ascii(text) : text;
}

}  // namespace quench::run
