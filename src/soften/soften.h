// Theorem 26 for any hard-attention model: the same parameters with softmax_τ, τ(n) derived from the model's own gap,
// and up to which length that is right. Average-hard, leftmost and rightmost heads; ties are allowed [Q-L33t].
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bounds/theorem26.h"
#include "certify/certificate.h"
#include "soften/hard_model.h"

namespace quench::soften {

/// How the gap γ(n) is established.
enum class Route : std::uint8_t {
  proof,       ///< a closed form, for constructions of our own
  interval,    ///< interval analysis over all words of a length at once
  exhaustive,  ///< every word, in exact arithmetic
};
std::string_view to_string(Route route);
std::optional<Route> route_from(std::string_view text);

enum class Constants : std::uint8_t { ours, paper };

struct Options {
  std::optional<Route> route;         ///< none: proof, then interval, then exhaustive, the first that succeeds
  std::optional<std::size_t> length;  ///< to be reached; none: as far as is cheap
  Constants constants = Constants::ours;
  /// The weights are known to be what the compiler emits for the model's source, so that what its constructions prove
  /// about their heads (the claims) holds.
  bool construction_confirmed = false;
  std::function<void()> pulse = [] {};  ///< called at every step of the work; what it throws ends it
};

/// The derivation at one length.
struct LengthLine {
  std::size_t n = 0;
  double gap = 0, x_max = 0;
  double needed = 0;            ///< least power of two for 1/τ by our constants; 0: none works
  std::optional<double> paper;  ///< 1/τ by the paper's constants, where they apply
};

struct Derivation {
  Route route = Route::exhaustive;
  std::string why;      ///< which routes were tried before, or stopped, and why
  std::string stopped;  ///< why it goes no further; empty: as far as was asked, or is cheap
  Sharpening sharpening;
  std::size_t length = 0;
  std::vector<LengthLine> lengths;
  Errors errors;                                ///< at `length`, in exact arithmetic
  std::vector<std::vector<std::string>> kinds;  ///< "uniform", "tieless", "ties", by layer and head
  std::optional<bounds::PaperConstants> paper;  ///< at `length`
  std::string why_not_paper;
  bool tie_breaks = false, rounded = false;
};

struct Softened {
  model::Transformer model;  ///< with its certificate
  Derivation derivation;
  certify::Certificate certificate;
};

/// Throws Refusal where the gap cannot be established, vanishes, or does not carry as far as asked.
Softened soften(const model::Transformer& model, const Options& options = {});

/// The derivation as a table, and as JSON.
std::string report_text(const Softened& softened);
std::string report_json(const Softened& softened);

}  // namespace quench::soften
