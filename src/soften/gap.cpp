#include "soften/gap.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text/utf8.h"
#include "soften/exhaustive.h"
#include "soften/numbers/interval.h"

namespace quench::soften {
namespace {

constexpr double kMostWords = 400'000;  // of one length
constexpr double kCheapWords = 3'000;   // of one length, where no length is asked for
constexpr std::size_t kCheapInterval = 16, kCheapProof = 256;
constexpr std::size_t kLongestInterval = 256, kLongestProof = 10'000;  // their cost grows with the square of the length

std::size_t table_end(const model::Transformer& model) {
  std::size_t end = std::size_t{1} << 20;
  for (const model::PositionEncoding& encoding : model.position_encodings)
    if (!encoding.formula.table.empty()) end = std::min(end, encoding.formula.table.size());
  return end;
}

/// Calls facts_at(1), facts_at(2), …; a Refusal ends it.
template <class FactsAt>
FactsByLength one_by_one(std::size_t longest, FactsAt facts_at) {
  FactsByLength result;
  try {
    for (std::size_t n = 1; n <= longest; ++n) result.facts.push_back(facts_at(n));
  } catch (const Refusal& refusal) {
    if (result.facts.empty()) throw;
    result.stopped = refusal.what();
  }
  return result;
}

FactsByLength by_proof(const Network& network, const Options& options, std::size_t longest) {
  const model::Transformer& model = network.model;
  if (!options.construction_confirmed)
    throw Refusal("no proof: the weights are not those of a construction of this program");
  for (std::size_t l = 0; l < model.layers.size(); ++l)
    for (std::size_t h = 0; h < model.layers[l].heads.size(); ++h)
      if (const model::Head& head = model.layers[l].heads[h]; !is_uniform(head) && proved_gap(head, 2) == 0)
        throw Refusal(fmt::format("no proof: nothing is proved about the gap of head {} (lemma \"{}\")",
                                  head_name(model, l, h), printable(head.claim.lemma.text())));
  FactsByLength result;
  result.facts.push_back(analyse(network, 1));
  if (longest < 2) return result;
  const LengthFacts all = analyse_all(network, longest);
  for (std::size_t n = 2; n <= longest; ++n) {
    options.pulse();
    LengthFacts facts = all;
    facts.n = n;
    for (std::size_t l = 0; l < model.layers.size(); ++l)
      for (std::size_t h = 0; h < model.layers[l].heads.size(); ++h)
        if (HeadFacts& head = facts.layers[l].heads[h]; !head.uniform)
          head.gap = proved_gap(model.layers[l].heads[h], n);
    result.facts.push_back(std::move(facts));
  }
  return result;
}

FactsByLength by_enumeration(const Network& network, const Options& options, std::size_t longest) {
  const double most = options.length ? kMostWords : kCheapWords;
  if (const double words = words_of_length(network.model, longest); options.length && longest > 1 && words > most)
    throw Refusal(
        fmt::format("there are {:.3g} words of length {}; at most {:.0f} are enumerated", words, longest, most));
  return one_by_one(longest, [&](std::size_t n) {
    if (const double words = words_of_length(network.model, n); n > 1 && words > most)
      throw Refusal(fmt::format("there are {:.3g} words of length {}; at most {:.0f} are enumerated", words, n, most));
    return enumerate(network, n, options.pulse);
  });
}

}  // namespace

// [Q-srasp] (docs/theory.md; src/lower/program/srasp/srasp.cpp): with c the claim's γ, the heads of S-RASP have gaps
//   lookup c/n², sign c/(2n²) or, of a mean, c/(2n³), count c/n³, choice by a condition c/(2n), equality c/(2n³),
// so c/(2n³) is a gap of each. [P-L8b], [P-L8c] at τ = 1/n or 1/N, N < 2n the power of two above: scores 2γ(s ± j/2N)
// with gap(s) ≥ 1: maxima differ by γ/N > γ/2n, the others are 2γ(1 − (n−1)/2N) ≥ γ behind. All are tieless.
double proved_gap(const model::Head& head, std::size_t n) {
  const auto length = static_cast<double>(n);
  const double shrink = 1 - 0x1p-45;  // more than all roundings here
  if (n == 1) return kInfinity;
  switch (head.claim.lemma.value()) {
    case Lemma::q_srasp:
      return head.claim.gamma / (2 * length * length * length) * shrink;
    case Lemma::p_l8b:
    case Lemma::p_l8c:
      return head.claim.gamma / (2 * length) * shrink;
    case Lemma::none:
    case Lemma::p_l7:
    case Lemma::p_l8a:
    case Lemma::q_prev:
    case Lemma::q_prev_lin:
    case Lemma::q_dyadic:
    case Lemma::q_since_lin:
    case Lemma::q_any:
    case Lemma::q_sign:
    case Lemma::q_sign_lin:
    case Lemma::q_sink:
    case Lemma::q_address:
    case Lemma::q_count:
    case Lemma::q_match:
    case Lemma::q_theta:
    case Lemma::other:
      break;
  }
  return 0;
}

FactsByLength find_facts(const Network& network, Route route, const Options& options) {
  const std::size_t cheap = route == Route::proof ? kCheapProof : kCheapInterval;
  const std::size_t end = table_end(network.model);
  if (options.length.value_or(1) > end)
    throw Refusal(fmt::format("a position encoding is a table that ends at position {}", end));
  if (const std::size_t most = route == Route::proof ? kLongestProof : kLongestInterval;
      options.length.value_or(1) > most && route != Route::exhaustive)
    throw Refusal(fmt::format("this way goes no further than length {}", most));
  const std::size_t longest = std::min(options.length.value_or(cheap), end);
  switch (route) {
    case Route::proof:
      return by_proof(network, options, longest);
    case Route::interval:
      return one_by_one(longest, [&](std::size_t n) {
        options.pulse();
        return analyse(network, n);
      });
    case Route::exhaustive:
      return by_enumeration(network, options, longest);
  }
  return {};
}

}  // namespace quench::soften
