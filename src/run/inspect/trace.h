// What every named coordinate holds after every sublayer while a word runs through a model, optionally with heads
// switched off (ablation) or values overwritten (patching). Plain data, with a JSON form and a table for people.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "run/inspect/attention_view.h"
#include "run/reference/reference.h"

namespace quench::run {

/// Overwrites what a named coordinate holds at one position, after the sublayer where the name is born and before
/// anything reads it. If several tenants bear the name, each is overwritten at its own birth. Later sublayers that add
/// to the coordinate add to the new value.
struct Patch {
  std::string coordinate;  ///< the tenant's name
  double value = 0;
  std::size_t position = 1;  ///< 1-based
};

struct TraceOptions {
  Options run;
  std::vector<HeadIndex> ablated;
  std::vector<Patch> patches;
  std::vector<HeadIndex> attention = {};  ///< whose weights are kept
  bool values = true;                     ///< false: without the steps
};

struct TracedCoordinate {
  std::string name;
  std::uint32_t coordinate = 0;
  bool boolean = false;
  std::vector<double> raw;            ///< by position
  std::vector<std::uint8_t> rounded;  ///< Boolean tenants only: the nearer of 0 and 1 (½ rounds up, NaN reads as 0)
  double distance = 0;                ///< Boolean tenants only: greatest |raw − rounded|
};

struct TraceStep {
  int sublayer = 0;
  std::string title;  ///< "embedding", "layer 0 attention", "layer 0 feed-forward", …
  std::vector<TracedCoordinate> coordinates;
};

struct Trace {
  std::string word;                  ///< as it is written
  std::vector<std::string> symbols;  ///< of the word
  TraceOptions options;
  std::vector<TraceStep> steps;
  std::vector<double> outputs;
  std::vector<std::int64_t> answers;     ///< as run/answers.h reads them
  std::vector<AttentionView> attention;  ///< of the heads asked for, in that order
};

/// `symbols` are the texts of the word's symbols for display; left empty, they come from the alphabet (·: unmentioned).
/// Throws UserError for heads, names and positions that do not exist, and for attention as attention_view() does.
Trace trace(const model::Transformer& transformer, const Word& word, const TraceOptions& options = {},
            std::vector<std::string> symbols = {});

/// {"word", "symbols": […], "dtype", "hard", "ablated": [{"layer", "head"}], "patched": […], "steps": [{"sublayer", "title",
/// "coordinates": [{"name", "coordinate", "boolean", "raw": […], "rounded": […]|null, "distance": …|null}]}], "outputs": […]}.
/// JSON has no infinities and no NaN: they are the texts "Infinity", "-Infinity" and "NaN". A null is that the coordinate
/// is not Boolean.
std::string to_json(const Trace& trace);
/// As many positions side by side as fit into `width` columns.
std::string to_text(const Trace& trace, std::size_t width = 110);

/// "1.0" → layer 1, head 0, both 0-based as in tensor names. Throws UserError that says which heads exist.
HeadIndex parse_head(std::string_view text, const model::Transformer& transformer);

/// "name=value@position", the last `@` and the `=` before it being the separators: names may contain both. Throws
/// UserError that says which names exist.
Patch parse_patch(std::string_view text, const model::Transformer& transformer);

/// Throw UserError, saying what exists, unless the model has this head / name and the word (length n) this position.
void require_head(HeadIndex index, const model::Transformer& transformer);
void require_patch(const Patch& patch, const model::Transformer& transformer, std::size_t n);

/// Texts of a word's symbols for display; symbols the alphabet does not mention show as "·".
std::vector<std::string> symbol_texts(const Alphabet& alphabet, const Word& word);

}  // namespace quench::run
