// The attention weights of one head on one word: as data, as a picture for the terminal and as an SVG for a paper.
#pragma once

#include <string>
#include <vector>

#include "base/attention_kind.h"
#include "run/reference/reference.h"

namespace quench::run {

struct AttentionView {
  HeadIndex index;
  std::string name;
  Mask mask = Mask::none;
  Temperature temperature = Temperature::one;
  Weighting weighting = Weighting::soft;  ///< the one used in this run
  NumberFormat format = NumberFormat::f64;
  std::vector<std::string> symbols;  ///< of the word
  Matrix weights;                    ///< n × n, row i = query; 0 where the mask hides the key
};

inline constexpr std::size_t kLongestView = 4096;

/// Runs the word and keeps the weights of one head. `symbols` as for trace(). Throws UserError if the head does not
/// exist or the word is longer than kLongestView (the picture has n² cells).
AttentionView attention_view(const model::Transformer& transformer, const Word& word, HeadIndex head,
                             const Options& options = {}, std::vector<std::string> symbols = {});

/// The same without the weights, which are then filled in row by row, as an Observer sees them.
AttentionView empty_view(const model::Transformer& transformer, HeadIndex head, const Options& options,
                         std::vector<std::string> symbols);
void fill_row(AttentionView& view, std::size_t i, std::size_t first, const std::vector<double>& weights);

struct TerminalStyle {
  bool ascii = false;
  std::size_t largest = 60;  ///< beyond so many positions, neighbouring cells are merged (the greatest weight shows)
};
std::string to_terminal(const AttentionView& view, const TerminalStyle& style = {});

/// A self-contained picture; beyond 256 positions cells are merged as above.
std::string to_svg(const AttentionView& view);

/// Square blocks of cells merged into one, so that at most `largest` remain per side.
struct MergedWeights {
  std::size_t block = 1;   ///< positions per cell and side
  Matrix greatest;         ///< the greatest weight of each block
  std::vector<bool> seen;  ///< row-major: whether the mask shows any cell of the block
};
MergedWeights merge(const AttentionView& view, std::size_t largest);

/// "layer 0, head 1: name" and "future mask · τ = 1/n · softmax · f64 · n = 8".
std::string title_of(const AttentionView& view);
std::string subtitle_of(const AttentionView& view);

}  // namespace quench::run
