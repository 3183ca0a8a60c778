#include "soften/soften.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/text/utf8.h"
#include "model/file.h"
#include "model/position.h"
#include "soften/gap.h"
#include "soften/paper.h"

namespace quench::soften {
namespace {

constexpr int kLeastExponent = -20, kGreatestExponent = 300;  // of 1/τ, in powers of two

/// Heads that are leftmost or rightmost and never tie become average-hard; those that tie get a tie-break, and then the
/// facts are those of the network with it.
struct AverageHard {
  model::Transformer model;
  FactsByLength found;
  bool tie_breaks = false;
};

AverageHard average_hard(const model::Transformer& hard, Route route, const Options& options) {
  AverageHard result{hard, find_facts(Network(hard), route, options), false};
  const bool unique = hard.kind() == "UHAT" || hard.kind() == "mixed";
  if (!unique) return result;
  result.model = break_ties(hard, result.found.facts);
  result.tie_breaks = result.model.width > hard.width;
  Options again = options;
  again.length = result.found.facts.size();
  const std::string stopped = result.found.stopped;
  result.found = find_facts(Network(result.model), route, again);
  if (result.found.stopped.empty()) result.found.stopped = stopped;
  return result;
}

double least_gap(const LengthFacts& facts) {
  double gap = kInfinity;
  for (const LayerFacts& layer : facts.layers)
    for (const HeadFacts& head : layer.heads)
      if (!head.uniform) gap = std::min(gap, head.gap);
  return gap;
}

double greatest(const std::vector<double>& values) {
  return values.empty() ? 0 : *std::max_element(values.begin(), values.end());
}

double x_max(const LengthFacts& facts) {
  return std::max(1.0, facts.layers.empty() ? greatest(facts.out) : greatest(facts.layers[0].in));
}

/// The least power of two for 1/τ at which the output can be read; 0 if there is none. Looked for around that of the
/// length before; with ties what holds need not be an interval, so if nothing above it holds, everything is tried.
double needed_inverse_tau(const Network& network, const LengthFacts& facts, double before) {
  const auto holds = [&](int exponent) {
    return propagate(network, facts, {Temperature::one, std::ldexp(1.0, exponent)}).holds;
  };
  int exponent = before > 0 ? static_cast<int>(std::log2(before)) : kLeastExponent;
  const int start = exponent;
  while (exponent <= kGreatestExponent && !holds(exponent)) ++exponent;
  if (exponent == start)
    while (exponent > kLeastExponent && holds(exponent - 1)) --exponent;
  if (exponent > kGreatestExponent)
    for (exponent = kLeastExponent; exponent < start && !holds(exponent);) ++exponent;
  return exponent == start && !holds(start) ? 0 : std::ldexp(1.0, exponent);
}

/// scale·n^p·ln(n+1) through all the values of 1/τ asked for, with the least excess in all.
Sharpening envelope(const std::vector<LengthLine>& lengths, const std::vector<double>& asked) {
  Sharpening best;
  double least = kInfinity;
  for (const Temperature formula : {Temperature::inverse_log, Temperature::inverse_n_log, Temperature::inverse_n_sq_log,
                                    Temperature::inverse_n_cubed_log}) {
    double factor = 0, excess = 0;
    const std::size_t first = asked.size() > 1 ? 1 : 0;  // a word of one position asks for nothing
    for (std::size_t k = first; k < asked.size(); ++k)
      factor = std::max(factor, asked[k] / model::inverse_temperature(formula, 1, lengths[k].n));
    // Not below 1: W_Q times a fraction could leave the range of a narrow format.
    const double scale = std::ldexp(1.0, static_cast<int>(std::max(0.0, std::ceil(std::log2(factor * (1 + 0x1p-40))))));
    for (std::size_t k = first; k < asked.size(); ++k)
      excess += std::log(scale * model::inverse_temperature(formula, 1, lengths[k].n) / asked[k]);
    if (excess < least) {
      least = excess;
      best = {formula, scale};
    }
  }
  return best;
}

std::string describe(const model::Transformer& model, const Errors& errors) {
  if (errors.head >= 0)
    return fmt::format("head {}: {}",
                       head_name(model, static_cast<std::size_t>(errors.layer), static_cast<std::size_t>(errors.head)),
                       errors.reason);
  return errors.reason;
}

/// How many of the first lengths hold; `failure` is of the next one.
std::size_t lengths_that_hold(const Network& network, const std::vector<LengthFacts>& facts,
                              const Sharpening& sharpening, std::optional<NumberFormat> format, Errors& failure,
                              const Options& options) {
  for (std::size_t k = 0; k < facts.size(); ++k) {
    options.pulse();
    if (failure = propagate(network, facts[k], sharpening, format); !failure.holds) return k;
  }
  return facts.size();
}

certify::Finding finding(const Network& network, const std::vector<LengthFacts>& facts, const Sharpening& sharpening,
                         NumberFormat format, const std::string& stopped, const Options& options) {
  certify::Finding result;
  Errors failure;
  result.length = lengths_that_hold(network, facts, sharpening, format, failure, options);
  if (result.length < facts.size()) {
    result.reason = failure.reason;
    if (failure.head >= 0)
      result.limiting_head =
          head_name(network.model, static_cast<std::size_t>(failure.layer), static_cast<std::size_t>(failure.head));
  } else {
    result.reason = stopped.empty() ? "as far as the gap was established" : stopped;
  }
  result.reason = printable(result.reason, 300);  // it may name heads
  const std::size_t at = std::max<std::size_t>(result.length, 1);
  const Errors errors = propagate(network, facts[at - 1], sharpening, format);
  const double inverse_tau = sharpening.inverse_tau(at);
  const auto finite = [](double x) { return std::isfinite(x) ? x : 0.0; };
  for (std::size_t l = 0; l < errors.layers.size(); ++l)
    for (std::size_t h = 0; h < errors.layers[l].heads.size(); ++h) {
      const HeadError& head = errors.layers[l].heads[h];
      const bool uniform = facts[at - 1].layers[l].heads[h].uniform;
      result.heads.push_back({head_name(network.model, l, h), uniform ? "" : "soften",
                              uniform ? 0 : finite(head.gap * inverse_tau), finite(head.score_error * inverse_tau),
                              finite(head.result)});
    }
  return result;
}

void sharpen(const Network& network, const std::vector<LengthFacts>& facts, const Options& options,
             Derivation& derivation) {
  const bool paper = derivation.why_not_paper.empty();
  bounds::Size size = paper_size(network.model);
  const int layers = static_cast<int>(network.model.layers.size());
  std::vector<double> asked;
  double before = 0;
  for (const LengthFacts& known : facts) {
    options.pulse();
    LengthLine line{known.n, least_gap(known), x_max(known), needed_inverse_tau(network, known, before), {}};
    size.x_max = line.x_max;
    if (paper && known.n > 1) {
      derivation.paper = bounds::paper_constants(size, layers, line.gap, static_cast<double>(known.n));
      line.paper = derivation.paper->inverse_tau;
    }
    if (line.needed == 0) {
      Errors failure = propagate(network, known, {Temperature::one, std::ldexp(1.0, kGreatestExponent)});
      derivation.stopped =
          fmt::format("at length {} no temperature will do: {}", known.n, describe(network.model, failure));
      if (derivation.lengths.empty() || options.length) throw Refusal(derivation.stopped);
      break;
    }
    derivation.lengths.push_back(line);
    before = line.needed;
    const double wanted = options.constants == Constants::paper ? line.paper.value_or(line.needed) : line.needed;
    asked.push_back(wanted);
  }
  derivation.sharpening = envelope(derivation.lengths, asked);
}

}  // namespace

std::string_view to_string(Route route) {
  switch (route) {
    case Route::proof:
      return "proof";
    case Route::interval:
      return "interval";
    case Route::exhaustive:
      return "exhaustive";
  }
  return {};
}

std::optional<Route> route_from(std::string_view text) {
  for (const Route route : {Route::proof, Route::interval, Route::exhaustive})
    if (to_string(route) == text) return route;
  return std::nullopt;
}

namespace {

Softened soften_by(const model::Transformer& hard, Route route, const Options& options) {
  AverageHard average = average_hard(hard, route, options);
  if (options.length && average.found.facts.size() < *options.length)
    throw Refusal(fmt::format("the gap is established up to length {} only: {}", average.found.facts.size(),
                              average.found.stopped));
  const Network network(average.model);
  std::vector<LengthFacts>& facts = average.found.facts;
  Softened result;
  Derivation& derivation = result.derivation;
  derivation.route = route;
  derivation.tie_breaks = average.tie_breaks;
  derivation.stopped = average.found.stopped;
  derivation.why_not_paper = why_not_paper(average.model, facts);
  if (options.constants == Constants::paper && !derivation.why_not_paper.empty())
    throw Refusal("the paper's Theorem 26 does not apply: " + derivation.why_not_paper +
                  "; leave out --constants paper");
  sharpen(network, facts, options, derivation);
  facts.resize(derivation.lengths.size());

  // With ties the bound is not monotone in τ, and formats round: what counts is the temperature chosen.
  Errors failure;
  std::size_t reached = 0;
  for (int attempt = 0; attempt < 6 && reached < facts.size(); ++attempt) {
    if (attempt > 0) derivation.sharpening.scale *= 2;
    reached = std::min(lengths_that_hold(network, facts, derivation.sharpening, std::nullopt, failure, options),
                       lengths_that_hold(network, facts, derivation.sharpening, NumberFormat::f64, failure, options));
  }
  if (reached == 0 || (options.length && reached < *options.length))
    throw Refusal(
        fmt::format("in f64 the gap carries up to length {} only: {}", reached, describe(average.model, failure)));
  if (reached < facts.size()) derivation.stopped = describe(average.model, failure);
  facts.resize(reached);
  derivation.lengths.resize(reached);
  derivation.length = reached;
  derivation.errors = propagate(network, facts.back(), derivation.sharpening);
  for (const LayerFacts& layer : facts.back().layers) {
    auto& kinds = derivation.kinds.emplace_back();
    for (const HeadFacts& head : layer.heads)
      kinds.push_back(head.uniform ? "uniform" : head.ties ? "ties" : "tieless");
  }
  derivation.rounded = model::reads_truth_values(average.model.output.kind) &&
                       std::all_of(facts.begin(), facts.end(), [](const auto& known) { return known.boolean_outputs; });

  result.model = soft_model(average.model, derivation.sharpening, derivation.rounded);
  result.certificate = {model::fingerprint(result.model), result.model.recipe, result.model.source, {}};
  for (const NumberFormat format : certify::usual_formats())
    result.certificate.entries.push_back(
        {format, certify::Summation::any,
         finding(network, facts, derivation.sharpening, format, derivation.stopped, options)});
  return result;
}

}  // namespace

Softened soften(const model::Transformer& model, const Options& options) {
  const model::Transformer hard = hard_model(model);
  std::vector<Route> routes{Route::proof, Route::interval, Route::exhaustive};
  if (options.route) routes = {*options.route};
  std::string why;
  std::optional<Softened> best;
  for (const Route route : routes) {
    const std::string start = fmt::format("{}{}: ", why.empty() ? "" : "\n", to_string(route));
    try {
      Softened result = soften_by(hard, route, options);
      const bool whole = result.derivation.stopped.empty();
      if (!whole) why += fmt::format("{}length {}; {}", start, result.derivation.length, result.derivation.stopped);
      if (!best || result.derivation.length > best->derivation.length) best = std::move(result);
      if (whole) break;
    } catch (const Refusal& refusal) {
      why += start + refusal.what();
    }
  }
  if (!best) throw Refusal(why);
  best->derivation.why = why;
  best->certificate.softened = report_json(*best);
  best->model.certificate = certify::to_json(best->certificate);
  return std::move(*best);
}

}  // namespace quench::soften
