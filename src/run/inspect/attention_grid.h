// Several heads of one model on one word: their weights as data, in one picture, and as numbers.
#pragma once

#include <string>
#include <vector>

#include "run/inspect/attention_view.h"

namespace quench::run {

/// Throws UserError as attention_view() does, and if the heads and positions are too many to be
/// kept together.
std::vector<AttentionView> attention_views(const model::Transformer& transformer, const Word& word,
                                           const std::vector<HeadIndex>& heads, const Options& options = {},
                                           std::vector<std::string> symbols = {});

/// One below the other, with one legend.
std::string to_terminal(const std::vector<AttentionView>& views, const TerminalStyle& style = {});
/// As a grid of the pictures that to_svg() makes of each.
std::string to_svg(const std::vector<AttentionView>& views);
/// {"word":[symbol…],"dtype","heads":[{"layer","head","name","mask","temperature","weighting","weights":[[…]…]}…]}, the
/// weights row by row: row i is the query; null where the mask hides the key or the weight is no number.
std::string to_json(const std::string& word, const std::vector<AttentionView>& views);

/// The inside of an SVG of one head.
struct AttentionPicture {
  double width = 0, height = 0;
  std::string content;
};
AttentionPicture picture_of(const AttentionView& view);

}  // namespace quench::run
