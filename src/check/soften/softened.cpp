#include "check/soften/softened.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "check/soften/enclosure.h"

namespace quench::check {
namespace {

constexpr std::size_t kMostWordsOfALength = 5'000;

/// Rows of the embedding, one of each kind: symbols that look alike are one symbol to the network.
std::vector<std::size_t> distinct_letters(const model::Transformer& model) {
  std::vector<std::size_t> letters;
  const auto& rows = model.embedding.rows;
  for (std::size_t row = 0; row < rows.size(); ++row)
    if (std::none_of(letters.begin(), letters.end(), [&](std::size_t other) { return rows[other] == rows[row]; }))
      letters.push_back(row);
  return letters;
}

/// Whether the soft network's answers are the hard one's, at a position.
void judge(const model::Transformer& model, const Place& place, std::uint32_t coordinate, std::size_t n) {
  const Number& error = place.errors[coordinate];
  const Number length(static_cast<double>(n));
  for (const State& state : place.states) {
    const Rational& value = state[coordinate];
    bool read = false;
    switch (model.output.kind) {
      case model::OutputKind::boolean:
      case model::OutputKind::string:
        read = error < (value - Rational(0.5)).size();
        break;
      case model::OutputKind::integer:
        read = (value * Rational::quotient(n, 1)).whole() && length * error < Number(0.49);
        break;
      case model::OutputKind::whole:
        read = value.whole() && error < Number(0.49);
        break;
      case model::OutputKind::ratios:
        throw Rejected("the output is a quotient");
      case model::OutputKind::scores:
        read = error <= Number(0.001);
        break;
    }
    if (!read) throw Rejected("the output is not shown to be right");
  }
}

void derive_on(const model::Transformer& model, const Rounded& rounded, const Letters& letters, Budget& budget) {
  std::vector<Place> places = embed(model, rounded, letters);
  for (const model::Layer& layer : model.layers) {
    attend(layer, rounded, places, budget);
    for (Place& place : places) feed_forward(layer.ffn, rounded, place, budget);
  }
  for (const Place& place : places) {
    if (model.output.cases.empty()) judge(model, place, model.output.coordinate, letters.size());
    for (const model::Output::Case& one : model.output.cases) judge(model, place, one.coordinate, letters.size());
  }
}

void derive_word_by_word(const model::Transformer& model, const Rounded& rounded, std::size_t n, Budget& budget) {
  const std::vector<std::size_t> alphabet = distinct_letters(model);
  std::vector<std::size_t> digits(n, 0);
  while (true) {
    Letters word;
    for (const std::size_t digit : digits) word.push_back({alphabet[digit]});
    derive_on(model, rounded, word, budget);
    std::size_t at = 0;
    while (at < n && ++digits[at] == alphabet.size()) digits[at++] = 0;
    if (at == n) return;
  }
}

bool few_words(std::size_t letters, std::size_t n) {
  std::size_t words = 1;
  for (std::size_t i = 0; i < n; ++i)
    if ((words *= letters) > kMostWordsOfALength) return false;
  return true;
}

/// Throws Undecided where all words at once do not decide it, and there are too many to look at one by one. Once they
/// have not decided a length, it is not tried again where there are few.
void derive_length(const model::Transformer& model, const Rounded& rounded, std::size_t n, bool& all_at_once,
                   Budget& budget) {
  const std::vector<std::size_t> alphabet = distinct_letters(model);
  std::string why = "keys tie";
  if (all_at_once || !few_words(alphabet.size(), n)) try {
      return derive_on(model, rounded, Letters(n, alphabet), budget);
    } catch (const Undecided& undecided) {
      why = undecided.what();
    } catch (const Rejected& rejected) {  // perhaps of vectors that no word has
      why = rejected.what();
    }
  all_at_once = false;
  if (!few_words(alphabet.size(), n)) throw Undecided(why);
  derive_word_by_word(model, rounded, n, budget);
}

/// How far one entry was derived again; what ended it, if that was not its length.
struct Reached {
  std::size_t length = 0;
  std::string why;
};

/// Throws Rejected where the entry is not borne out, with the length in the message.
Reached derive_entry(const model::Entry& entry, const model::Transformer& model, Budget& budget) {
  const Rounded rounded(entry.format);
  bool all_at_once = true;
  Reached reached;
  try {
    while (reached.length < entry.finding.length) {
      derive_length(model, rounded, reached.length + 1, all_at_once, budget);
      ++reached.length;
    }
  } catch (const Undecided& undecided) {
    reached.why = undecided.what();
  } catch (const Rejected& rejected) {
    throw Rejected(fmt::format("at length {}: {}", reached.length + 1, rejected.what()));
  } catch (const UserError& error) {  // beyond the end of a table
    throw Rejected(fmt::format("at length {}: {}", reached.length + 1, error.what()));
  }
  return reached;
}

}  // namespace

/// The shortest entries first, so that the long ones leave them steps. One that is not borne out is found behind others
/// that are too long, too.
Verdict check_softened(const model::Certificate& certificate, const model::Transformer& model) {
  Verdict verdict;
  Budget budget;
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < certificate.entries.size(); ++k) order.push_back(k);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return certificate.entries[a].finding.length < certificate.entries[b].finding.length;
  });
  std::vector<Reached> reached(order.size());
  for (const std::size_t k : order) try {
      reached[k] = derive_entry(certificate.entries[k], model, budget);
      verdict.entries += reached[k].why.empty();
    } catch (const Rejected& rejected) {
      verdict.reason = fmt::format("entry {}: {}", k + 1, rejected.what());
      return verdict;
    }
  verdict.accepted = verdict.entries == order.size();
  verdict.covered = verdict.accepted;
  if (verdict.accepted) return verdict;
  std::string lengths, why;
  for (std::size_t k = 0; k < reached.size(); ++k) {
    const std::uint64_t promised = certificate.entries[k].finding.length;
    lengths += fmt::format("{}{} {}{}", lengths.empty() ? "" : ", ", to_string(certificate.entries[k].format),
                           reached[k].length, reached[k].why.empty() ? "" : fmt::format(" of {}", promised));
    if (reached[k].why.empty()) continue;
    if (why.empty()) why = reached[k].why;
    verdict.confirmed = std::min<std::uint64_t>(verdict.confirmed.value_or(promised), reached[k].length);
  }
  verdict.reason = fmt::format(
      "made by `quench soften`, and derived again in part: up to {}; not beyond, since {}, and there are too many "
      "words to "
      "go through one by one",
      lengths, why);
  return verdict;
}

}  // namespace quench::check
